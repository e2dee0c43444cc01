import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Variables } from '@redef/autodiff';
import { Graph, type Tensor } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import {
  type CachedDecoder,
  loadWeights,
  type ModelConfig,
  maxInputTokens,
  openCheckpoint,
  readConfig,
  robertaCachedDecoder,
  robertaSeq2Seq,
  saveWeights,
  t5CachedDecoder,
  t5Seq2Seq,
} from '@redef/models';
import * as v from 'valibot';
import type { SequenceTokenizer } from './sequence-pair.js';

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const size = v.pipe(v.number(), v.integer(), v.minValue(1));

/** What a repair model is besides its `config.json`: it lies beside it as `repair.json`. */
export const repairSettingsSchema = v.object({
  schema: v.literal('redef.repair-model/1'),
  /** Of a RoBERTa model's decoder; a T5 config has its own. */
  decoder_layers: v.optional(size, 6),
  /** What the decoder is fed first: T5's padding, RoBERTa's `<s>`. */
  start_token: index,
  end_token: index,
  /** Longest source and target, special tokens included. */
  max_source_tokens: v.optional(size, 512),
  max_target_tokens: v.optional(size, 256),
  /** How the model is decoded where nobody says otherwise: VulRepair by Hugging Face's rule, the others by CodeXGLUE's. */
  rule: v.picklist(['hugging-face', 'codexglue']),
  /** The id of the tokenizer that the model was trained with. */
  tokenizer: v.optional(v.string()),
  /** What everything random in its training was drawn from. */
  seed: v.optional(index),
});
export type RepairSettings = v.InferOutput<typeof repairSettingsSchema>;

/** The network of a sequence-to-sequence model and how it is used. */
export interface RepairModel {
  config: ModelConfig;
  settings: RepairSettings;
}

/**
 * The papers' settings for a family (R+R, section 3.4), sources and targets no longer than the network reads.
 *
 * @param tokenizer what its special tokens are; default those of the published vocabularies
 */
export function paperSettings(
  config: ModelConfig,
  tokenizer?: Pick<SequenceTokenizer, 'id' | 'prefix' | 'suffix'>,
): RepairSettings {
  const isT5 = config.model_type === 't5';
  return {
    schema: 'redef.repair-model/1',
    decoder_layers: 6,
    start_token: isT5 ? config.decoder_start_token_id : (tokenizer?.prefix[0] ?? 0),
    end_token: tokenizer?.suffix.at(-1) ?? 2,
    max_source_tokens: Math.min(512, maxInputTokens(config)),
    max_target_tokens: Math.min(256, maxInputTokens(config)),
    rule: isT5 ? 'hugging-face' : 'codexglue',
    ...(tokenizer && { tokenizer: tokenizer.id }),
  };
}

/**
 * The logits of a model in training or evaluation: ids (batch, length) to (batch × target length, vocabulary).
 *
 * @throws `RedefError` `too-many-tokens` where sources or targets may be longer than the network reads
 */
export function repairLogits(
  model: RepairModel,
  sourceIds: Tensor,
  decoderIds: Tensor,
  options: { training?: boolean } = {},
): Tensor {
  checkLengths(model);
  const { config, settings } = model;
  return config.model_type === 't5'
    ? t5Seq2Seq(sourceIds, decoderIds, config, options)
    : robertaSeq2Seq(sourceIds, decoderIds, config, { ...options, decoderLayers: settings.decoder_layers });
}

/** The same model for decoding with a cache. */
export function repairDecoder(model: RepairModel): CachedDecoder {
  checkLengths(model);
  const { config, settings } = model;
  return config.model_type === 't5'
    ? t5CachedDecoder(config)
    : robertaCachedDecoder(config, { decoderLayers: settings.decoder_layers });
}

function checkLengths({ config, settings: { max_source_tokens, max_target_tokens } }: RepairModel): void {
  const limit = maxInputTokens(config);
  if (Math.max(max_source_tokens, max_target_tokens) <= limit) return;
  throw new RedefError(
    `Sources of ${max_source_tokens} tokens and targets of ${max_target_tokens} were asked for, the model reads ${limit}`,
    { code: 'too-many-tokens', remedy: 'Ask for shorter ones, or train a model with more positions.' },
  );
}

/**
 * Reads `config.json` and `repair.json` of a folder; a folder without the second, such as a published checkpoint, gets
 * the papers' settings.
 *
 * @throws `RedefError` `file-missing`, `unsupported-model`, `invalid-model`
 */
export async function readRepairModel(folder: string): Promise<RepairModel> {
  const config = await readConfig(folder);
  const path = join(folder, 'repair.json');
  let json: unknown;
  try {
    json = await readJson(path);
  } catch (error) {
    if (RedefError.isInstance(error) && error.code === 'file-missing')
      return { config, settings: paperSettings(config) };
    throw error;
  }
  const result = v.safeParse(repairSettingsSchema, json);
  if (!result.success) {
    throw invalid(`${path}: ${v.getDotPath(result.issues[0]) ?? 'settings'}: ${result.issues[0].message}`);
  }
  return { config, settings: result.output };
}

/**
 * Sets variables to the weights of a folder.
 *
 * @throws `RedefError` `file-missing`, `corrupt-weights`, `weights-mismatch`
 */
export async function loadRepairWeights(
  folder: string,
  model: RepairModel,
  variables: Variables,
  options: Parameters<typeof loadWeights>[3] = {},
): ReturnType<typeof loadWeights> {
  const checkpoint = await openCheckpoint(folder);
  try {
    return await loadWeights(parametersOf(model), variables, checkpoint, options);
  } finally {
    await checkpoint.close();
  }
}

/** Writes weights, `config.json` and `repair.json`: what {@link readRepairModel} and Python libraries read. */
export async function saveRepairModel(folder: string, model: RepairModel, variables: Variables): Promise<string[]> {
  const paths = await saveWeights(folder, parametersOf(model), variables, model.config);
  const path = join(folder, 'repair.json');
  await writeFileAtomic(path, `${JSON.stringify(model.settings, null, 2)}\n`);
  return [...paths, path];
}

/** A graph that declares all weights of the model. */
function parametersOf(model: RepairModel): Graph {
  const graph = new Graph();
  repairLogits(model, graph.input('sourceIds', [1, 2], 'int32'), graph.input('decoderIds', [1, 2], 'int32'));
  return graph;
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`${path}: not JSON`, cause);
  }
}

function invalid(message: string, cause?: unknown): RedefError {
  return new RedefError(message, {
    code: 'invalid-model',
    remedy: 'Name a folder that redef repair train wrote, or a downloaded checkpoint.',
    cause,
  });
}

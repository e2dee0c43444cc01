import { resolve } from 'node:path';
import { RedefError, type RunOptions } from '@redef/core';
import {
  type Budget,
  createLexicalTokenizer,
  loadTokenizer,
  type Tokenizer,
  type TokenizerPresetName,
  tokenizerPresets,
} from '@redef/encoders';
import { type ModelConfig, maxInputTokens, parseConfig, readConfig } from '@redef/models';
import { downloadModel } from '@redef/models/hub';
import { serverOf } from '@redef/triage';
import { checkpointDigest } from '../cells/checkpoint-digest.js';
import { createCharacterTokenizer } from '../chat/character-tokenizer.js';
import type { StudyModel } from '../plan-cells.js';
import { linearModel } from '../study.js';
import type { ModelEntry, StudyFile, TrainingSettings } from './schema.js';

export interface ModelContext extends RunOptions {
  /** Folder that paths in the study file are relative to. */
  base: string;
  /** Keeps what is downloaded from the hub. */
  cacheFolder: string;
}

/**
 * The models of a study file with their tokenizers loaded and, from the hub, their weights downloaded. The linear baseline
 * is added where the file does not name it, so that every table has it.
 */
export async function studyModels(file: StudyFile, context: ModelContext): Promise<StudyModel[]> {
  const models: StudyModel[] = [];
  for (const entry of file.models) {
    const { encodings, seeds } = entry;
    const model = await studyModel(entry, file, context);
    models.push({ ...model, ...(encodings && { encodings }), ...(seeds && { seeds }) });
  }
  return file.models.some(({ kind }) => kind === 'linear') ? models : [...models, { ...linearModel(), baseline: true }];
}

async function studyModel(entry: ModelEntry, file: StudyFile, context: ModelContext): Promise<StudyModel> {
  switch (entry.kind) {
    case 'linear':
      return linear(entry, context);
    case 'checkpoint':
      return checkpoint(entry, file, context);
    case 'scratch':
      return scratch(entry, file, context);
    case 'chat':
      return chat(entry);
  }
}

type Entry<Kind extends ModelEntry['kind']> = Extract<ModelEntry, { kind: Kind }>;

/** Those of the engine: said aloud they name the same cells. */
export const linearDefaults = { learningRate: 0.5, l2: 1e-3, epochs: 20 };

async function linear(entry: Entry<'linear'>, context: ModelContext): Promise<StudyModel> {
  const { tokenizer: source, preset, max_tokens, learning_rate, l2, epochs, name = 'linear' } = entry;
  if ((source === undefined) !== (preset === undefined)) {
    const [there, missing] = source === undefined ? ['preset', 'tokenizer'] : ['tokenizer', 'preset'];
    throw new RedefError(`models: ${name}: a ${there} needs its ${missing}`, {
      code: 'invalid-study',
      remedy: `Name both or neither; presets are ${Object.keys(tokenizerPresets).join(', ')}.`,
    });
  }
  const tokenizer =
    source === undefined
      ? createLexicalTokenizer()
      : await loadTokenizer(sourceIn(source, context), { preset: preset!, ...hub(context) });
  const said = { learningRate: learning_rate, l2, epochs };
  const other = Object.entries(said).filter(
    ([name, value]) => value !== undefined && value !== linearDefaults[name as keyof typeof said],
  );
  const { epochs: passes, ...options } = Object.fromEntries(other);
  return {
    name,
    budget: { tokenizer, maxTokens: max_tokens ?? tokenizer.maxTokens },
    spec: () => ({ engine: 'linear', options, ...(passes !== undefined && { epochs: passes }) }),
  };
}

async function checkpoint(entry: Entry<'checkpoint'>, file: StudyFile, context: ModelContext): Promise<StudyModel> {
  const { preset, checkpoint: source = `hub:${tokenizerPresets[preset].hub}`, name = preset } = entry;
  const folder = await checkpointFolder(source, context);
  const tokenizer = await tokenizerOf(entry.tokenizer ?? folder, preset, context);
  const digest = await checkpointDigest(folder);
  return {
    name,
    budget: budgetOf(name, tokenizer, await readConfig(folder), entry.max_tokens),
    spec: ({ size }) => ({
      engine: 'onnx',
      options: { ...onnxOptions({ ...file.training, ...entry.training }), vocabularySize: size },
      epochs: entry.training?.epochs ?? file.training.epochs,
      checkpoint: { folder, digest },
    }),
  };
}

async function scratch(entry: Entry<'scratch'>, file: StudyFile, context: ModelContext): Promise<StudyModel> {
  const { preset, config, name = 'scratch' } = entry;
  const tokenizer = await tokenizerOf(entry.tokenizer, preset, context);
  // What the network reads of it, defaults in place: other members of a config.json name no other cell.
  const read = parseConfig({ pad_token_id: tokenizer.padId, ...config, vocab_size: tokenizer.size }, `models: ${name}`);
  const members = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  return {
    name,
    budget: budgetOf(name, tokenizer, read, entry.max_tokens),
    spec: ({ size }) => ({
      engine: 'onnx',
      options: {
        ...onnxOptions({ ...file.training, ...entry.training }),
        vocabularySize: size,
        config: { ...members, vocab_size: size },
      },
      epochs: entry.training?.epochs ?? file.training.epochs,
    }),
  };
}

function chat(entry: Entry<'chat'>): StudyModel {
  const { model, name = model.replace(/[^\w.@+-]+/g, '-'), base_url, temperature, max_output_tokens } = entry;
  serverOf({ model, ...(base_url !== undefined && { baseURL: base_url }) }); // a mistyped address goes nowhere
  return {
    name,
    budget: { tokenizer: createCharacterTokenizer(entry.max_characters), maxTokens: entry.max_characters },
    spec: (_, encoding) => ({
      engine: 'chat',
      options: {
        model,
        encoding,
        temperature,
        maxOutputTokens: max_output_tokens,
        ...(base_url !== undefined && { baseURL: base_url }),
      },
    }),
  };
}

/** As many tokens as asked for, else as many as both the tokenizer's preset and the network allow. */
function budgetOf(name: string, tokenizer: Tokenizer, config: ModelConfig, asked?: number): Budget {
  const limit = maxInputTokens(config);
  if (asked !== undefined && asked > limit) {
    throw new RedefError(`models: ${name}: max_tokens is ${asked}, the model reads ${limit}`, {
      code: 'invalid-study',
      remedy: `Ask for at most ${limit}, or leave it out.`,
    });
  }
  return { tokenizer, maxTokens: asked ?? Math.min(tokenizer.maxTokens, limit) };
}

/** The settings of a study file under the engine's names. */
function onnxOptions({ epochs: _, ...training }: TrainingSettings): Record<string, unknown> {
  return {
    learningRate: training.learning_rate,
    batchSize: training.batch_size,
    accumulation: training.gradient_accumulation,
    schedule: training.schedule,
    warmUp: training.warm_up,
    weightDecay: training.weight_decay,
    clipNorm: training.clip_norm,
    positiveWeight: training.positive_weight,
    selectBy: training.select_by,
    device: training.device,
    ...(training.threads !== undefined && { threads: training.threads }),
  };
}

const hub = ({ cacheFolder, signal }: ModelContext) => ({ cacheFolder, ...(signal && { signal }) });

function sourceIn(source: string, { base }: ModelContext): string {
  return source.startsWith('hub:') ? source : resolve(base, source);
}

function tokenizerOf(source: string, preset: TokenizerPresetName, context: ModelContext): Promise<Tokenizer> {
  return loadTokenizer(sourceIn(source, context), { preset, ...hub(context) });
}

async function checkpointFolder(source: string, context: ModelContext): Promise<string> {
  if (!source.startsWith('hub:')) return resolve(context.base, source);
  const [repo = '', revision] = source.slice(4).split('@');
  const { cacheFolder: cacheDir, signal, onEvent } = context;
  const run = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
  return downloadModel({ repo, cacheDir, ...(revision !== undefined && { revision }), ...run });
}

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createDriver, type Device, type Driver } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import { loadTokenizer, type Tokenizer, type TokenizerPresetName, tokenizerPresets } from '@redef/encoders';
import { readConfig } from '@redef/models';
import { vulRepairAddedTokens } from '@redef/repair';
import { paperSettings, type RepairModel, readRepairModel } from '@redef/repair/model';
import { type Command, Option } from 'commander';
import { integer } from './options.js';

/** Flags of the commands that load a repair model. */
export interface RepairModelFlags {
  model: string;
  tokenizer?: string;
  family?: TokenizerPresetName;
  decoderLayers?: number;
  maxSourceTokens?: number;
  maxTargetTokens?: number;
  device?: Device;
  threads?: number;
}

const devices: readonly Device[] = ['cpu', 'cuda', 'webgpu', 'dml', 'auto'];
const families = Object.keys(tokenizerPresets) as TokenizerPresetName[];

/** @param mandatory false for a command with others below it, which would ask for it on their behalf */
export function addRepairModelOptions(command: Command, model: string, mandatory = true): Command {
  return command
    .addOption(new Option('--model <path>', model).makeOptionMandatory(mandatory))
    .option('--tokenizer <folder>', "vocab.json and merges.txt, or tokenizer.json (default: the model's folder)")
    .addOption(new Option('--family <name>', "whose special tokens (default: the model's own)").choices(families))
    .addOption(new Option('--device <name>', 'what computes (default: cpu)').choices(devices))
    .option('--threads <n>', 'threads inside an operation, on the CPU (default: one for each core)', integer(1));
}

/** For models that a command makes. */
export function addNetworkOptions(command: Command): Command {
  return command
    .option('--decoder-layers <n>', "of a RoBERTa model's decoder (default: 6)", integer(1))
    .option('--max-source-tokens <n>', 'default: 512, or what the model reads', integer(4))
    .option('--max-target-tokens <n>', 'default: 256, or what the model reads', integer(4));
}

export interface LoadedRepairModel {
  /** The folder with weights, or a network drawn from the seed where a config alone was named. */
  start: string | RepairModel;
  model: RepairModel;
  tokenizer: Tokenizer;
  driver: Driver;
}

/** @throws `RedefError` of reading the model or the tokenizer, `wrong-tokenizer` where the model was trained with another */
export async function loadRepairModel(cwd: string, flags: RepairModelFlags): Promise<LoadedRepairModel> {
  const path = resolve(cwd, flags.model);
  const isConfig = path.endsWith('.json');
  if (isConfig && flags.tokenizer === undefined) {
    throw new RedefError('a config alone brings no tokenizer', {
      code: 'invalid-option',
      remedy: 'Name its folder with --tokenizer.',
    });
  }
  const found = isConfig ? { config: await readConfig(path) } : await readRepairModel(path);
  const trainedWith = 'settings' in found ? found.settings.tokenizer : undefined;
  const trainedFamily = families.find((family) => trainedWith?.startsWith(`${family}/`));
  const preset = flags.family ?? trainedFamily ?? (found.config.model_type === 't5' ? 'codet5p' : 'roberta');
  const folder = flags.tokenizer === undefined ? path : resolve(cwd, flags.tokenizer);
  const tokenizer = (await loadTokenizer(folder, { preset })).addTokens(vulRepairAddedTokens);
  if (trainedWith !== undefined && trainedWith !== tokenizer.id) {
    throw new RedefError(`the model was trained with the tokenizer ${trainedWith}, ${folder} is ${tokenizer.id}`, {
      code: 'wrong-tokenizer',
      remedy: 'Name the tokenizer it was trained with, and its --family.',
    });
  }
  const base =
    'settings' in found && trainedWith !== undefined ? found.settings : paperSettings(found.config, tokenizer);
  const model: RepairModel = {
    config: found.config,
    settings: {
      ...base,
      ...(flags.decoderLayers !== undefined && { decoder_layers: flags.decoderLayers }),
      ...(flags.maxSourceTokens !== undefined && { max_source_tokens: flags.maxSourceTokens }),
      ...(flags.maxTargetTokens !== undefined && { max_target_tokens: flags.maxTargetTokens }),
    },
  };
  const driver = await createDriver(
    flags.device ?? 'cpu',
    flags.threads === undefined ? {} : { threads: flags.threads },
  );
  return { start: isConfig ? model : path, model, tokenizer, driver };
}

/** {@link loadRepairModel} where the model must have weights. */
export async function loadTrainedModel(cwd: string, flags: RepairModelFlags) {
  const { start: folder, ...loaded } = await loadRepairModel(cwd, flags);
  if (typeof folder !== 'string') {
    throw new RedefError('--model names a config without weights', {
      code: 'invalid-option',
      remedy: 'Name a folder that redef repair train wrote.',
    });
  }
  const { model, tokenizer } = loaded;
  if (tokenizer.size > model.config.vocab_size) {
    throw new RedefError(`the tokenizer has ${tokenizer.size} ids, the model ${model.config.vocab_size}`, {
      code: 'wrong-tokenizer',
      remedy: 'Name the tokenizer it was trained with, and its --family.',
    });
  }
  return { folder, ...loaded };
}

/** Puts the files of a tokenizer beside the model that needs them. */
export async function copyTokenizer(from: string, to: string): Promise<void> {
  for (const name of ['tokenizer.json', 'vocab.json', 'merges.txt', 'added_tokens.json']) {
    let content: Buffer;
    try {
      content = await readFile(join(from, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw fileError(error, join(from, name));
    }
    await writeFileAtomic(join(to, name), content);
  }
}

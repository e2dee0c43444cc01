import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import {
  createLinearEngine,
  createOnnxEngine,
  type ModelSource,
  type OnnxEngineOptions,
  type TrainingEngine,
} from '@redef/training';
import { type Command, Option } from 'commander';
import type { CliContext } from './context.js';
import { integer, number } from './options.js';

const engineNames = ['linear', 'onnx'] as const;
const devices = ['cpu', 'cuda', 'webgpu', 'dml', 'auto'] as const;
const precisions = ['float32', 'float16'] as const;

/** What names an engine on the command line; all but its name are for `onnx` alone. */
export interface EngineFlags {
  engine: (typeof engineNames)[number];
  device?: (typeof devices)[number];
  precision?: (typeof precisions)[number];
  threads?: number;
  base?: string;
  batchSize?: number;
  accumulation?: number;
  learningRate?: number;
  loraRank?: number;
  threshold?: NonNullable<OnnxEngineOptions['threshold']>;
  patience?: number;
  tensorboard?: true;
}

/** Adds the options that both training and prediction take. */
export function addEngineFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--engine <name>', 'linear baseline, or onnx: language models').choices(engineNames).default('linear'),
    )
    .addOption(new Option('--device <name>', 'what computes, with onnx (default: cpu)').choices(devices))
    .addOption(
      new Option('--precision <name>', 'with onnx, float16 on a GPU that has it (default: float32)').choices(
        precisions,
      ),
    )
    .option('--threads <n>', 'on the CPU, with onnx (default: one for each core)', integer(1))
    .option(
      '--base <source>',
      'what onnx starts from: a folder with weights, hub:OWNER/NAME, or a config.json alone for random weights',
    );
}

/** Adds the options of training with `onnx`. */
export function addTrainingFlags(command: Command): Command {
  return command
    .option('--batch-size <n>', 'onnx: rows of a batch (default: 8)', integer(1))
    .option('--accumulation <n>', 'onnx: batches of one step (default: 1)', integer(1))
    .option('--learning-rate <x>', 'onnx: the highest (default: 1e-5)', number(0))
    .option('--lora-rank <n>', 'onnx: train low-rank additions of this rank alone, alpha twice as much', integer(1))
    .option(
      '--threshold <x>',
      'onnx: the score from which a change counts as defective, or "validation" (default: 0.5)',
      thresholdOf,
    )
    .option('--patience <n>', 'onnx: stop after as many epochs without a better validation F1', integer(1))
    .option('--tensorboard', 'onnx: write curves for TensorBoard into the model folder');
}

/** @throws `RedefError` `invalid-option` for a flag that the engine does not have */
export function engineOf(flags: EngineFlags, cli: CliContext): TrainingEngine {
  const { engine, base, loraRank, tensorboard, ...settings } = flags;
  if (engine === 'linear') {
    const [name] = Object.keys(flags).filter((flag) => flag !== 'engine');
    if (name === undefined) return createLinearEngine();
    throw new RedefError(`The linear engine has no ${name}`, {
      code: 'invalid-option',
      remedy: 'Leave it out, or pass --engine onnx.',
    });
  }
  return createOnnxEngine({
    ...settings,
    ...(base !== undefined && { model: modelOf(base, cli) }),
    ...(loraRank !== undefined && { lora: { rank: loraRank, alpha: 2 * loraRank } }),
    ...(tensorboard && { tensorBoard: true }),
    now: Date.now,
  });
}

function modelOf(source: string, { cwd, env }: CliContext): ModelSource {
  const [, repo, revision] = /^hub:([^@]+)(?:@(.+))?$/.exec(source) ?? [];
  if (repo !== undefined) {
    return {
      hub: {
        repo,
        ...(revision !== undefined && { revision }),
        cacheDir: join(env.XDG_CACHE_HOME ?? join(env.HOME ?? cwd, '.cache'), 'redef', 'models'),
        ...(env.HF_TOKEN !== undefined && { accessToken: env.HF_TOKEN }),
        ...(env.HF_ENDPOINT !== undefined && { hubUrl: env.HF_ENDPOINT }),
      },
    };
  }
  const path = resolve(cwd, source);
  try {
    if (statSync(path).isDirectory()) return { checkpoint: path };
    return { config: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileError(error, path);
    throw new RedefError(`${path}: not JSON`, {
      code: 'invalid-option',
      remedy: 'Name a folder with config.json and weights, hub:OWNER/NAME, or a config.json.',
    });
  }
}

function thresholdOf(text: string): 'validation' | number {
  return text === 'validation' ? text : number(0)(text);
}

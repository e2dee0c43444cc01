import { RedefError } from '@redef/core';
import { createLinearEngine, createOnnxEngine, type LinearEngineOptions, type TrainingEngine } from '@redef/training';
import * as v from 'valibot';
import { createChatEngine } from '../chat/chat-engine.js';
import type { EngineSpec } from './cell.js';
import type { RunStore } from './run-store.js';

export interface EngineContext {
  store: RunStore;
  /** The key for a chat server, by its base URL; `undefined` is OpenAI's own. */
  apiKey?: (baseURL: string | undefined) => string | undefined;
}

/** Makes the engine that a cell names, from what stands in the cell. */
export type EngineFactory = (spec: EngineSpec, context: EngineContext) => TrainingEngine;

const linearOptions = v.object({
  bucketCount: v.exactOptional(v.number()),
  learningRate: v.exactOptional(v.number()),
  l2: v.exactOptional(v.number()),
}) satisfies v.GenericSchema<unknown, LinearEngineOptions>;

const onnxOptions = v.object({
  learningRate: v.number(),
  batchSize: v.number(),
  accumulation: v.number(),
  schedule: v.picklist(['linear', 'constant']),
  warmUp: v.number(),
  weightDecay: v.number(),
  clipNorm: v.number(),
  positiveWeight: v.union([v.literal('balanced'), v.number()]),
  selectBy: v.picklist(['f1', 'mcc', 'prAuc', 'rocAuc', 'balancedAccuracy']),
  device: v.picklist(['cpu', 'cuda', 'webgpu', 'dml']),
  threads: v.exactOptional(v.number()),
  vocabularySize: v.number(),
  /** Of a model whose weights are drawn; others start from the cell's checkpoint. */
  config: v.exactOptional(v.record(v.string(), v.unknown())),
});

const chatOptions = v.object({
  model: v.string(),
  encoding: v.string(),
  temperature: v.number(),
  maxOutputTokens: v.number(),
  baseURL: v.exactOptional(v.string()),
});

/** The engines that a study file can name. */
export const studyEngines: Readonly<Record<string, EngineFactory>> = {
  linear: ({ options }) => createLinearEngine(v.parse(linearOptions, options)),
  onnx: ({ options, checkpoint }) => {
    const { config, ...settings } = v.parse(onnxOptions, options);
    if (!checkpoint && !config) {
      throw new RedefError('a language model needs a checkpoint or a config to start from', {
        code: 'invalid-plan',
        remedy: 'Run redef study again: it plans anew.',
      });
    }
    return createOnnxEngine({
      ...settings,
      model: checkpoint ? { checkpoint: checkpoint.folder } : { config: config! },
    });
  },
  chat: ({ options }, { store, apiKey }) => {
    const given = v.parse(chatOptions, options);
    const key = apiKey?.(given.baseURL);
    return createChatEngine({ ...given, answers: store.answers, ...(key !== undefined && { apiKey: key }) });
  },
};

/** @throws `RedefError` `unknown-engine` */
export function createEngine(
  spec: EngineSpec,
  context: EngineContext,
  engines: Readonly<Record<string, EngineFactory>> = studyEngines,
): TrainingEngine {
  const { engine } = spec;
  if (!Object.hasOwn(engines, engine)) {
    throw new RedefError(`There is no engine ${JSON.stringify(engine)}`, {
      code: 'unknown-engine',
      remedy: `Choose one of ${Object.keys(engines).join(', ')}.`,
    });
  }
  return engines[engine]!(spec, context);
}

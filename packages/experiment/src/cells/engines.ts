import { RedefError } from '@redef/core';
import { createLinearEngine, type LinearEngineOptions, type TrainingEngine } from '@redef/training';
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

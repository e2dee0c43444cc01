import { setMaxListeners } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, mapOrdered, type Prediction, RedefError, throwIfAborted } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import type { Score, TrainingEngine } from '@redef/training';
import * as v from 'valibot';
import { type Answer, answerStore } from './answer-store.js';
import { createCharacterTokenizer } from './character-tokenizer.js';
import { type ChatConnection, type ChatRequest, connectChat } from './chat-client.js';
import { chatPrompt, chatPromptVersion } from './prompt.js';

export interface ChatEngineOptions extends Omit<ChatConnection, 'model'> {
  model: string;
  /** The encoding that the examples are in: the model is told how to read it. */
  encoding: string;
  /** Default 0. Above it the seed is sent too, where the server honours one. */
  temperature?: number;
  /** Default 64. */
  maxOutputTokens?: number;
  /** Folder of answers: a question asked before makes no call. */
  answers: string;
}

/** A score, and why it is 0 where the model gave none. */
export type ChatScore = Score & Pick<Prediction, 'unanswered'>;

interface ChatEngine extends TrainingEngine {
  predict(...args: Parameters<TrainingEngine['predict']>): AsyncIterable<ChatScore>;
}

/** Calls under way at once. */
const concurrency = 8;
/** Beyond this share of questions without an answer the scores say nothing of the model. */
const mostUnanswered = 0.1;

const modelFile = 'chat.json';
const modelSchema = v.object({ schema: v.literal('redef.chat-model/1'), seed: v.number() });

/**
 * A chat model behind an OpenAI-compatible server as a classifier that was not trained: `fit` looks at nothing and keeps
 * the seed. Examples are ids of {@link createCharacterTokenizer}. The paper names this as its next step (ReDef, section 7).
 * Where the model refuses or keeps to no form the score is 0, nobody would be warned; the prediction says so.
 *
 * @throws `RedefError` of the server (`server-unavailable`, `key-refused`, `request-refused`), or `too-few-answers`
 */
export function createChatEngine(options: ChatEngineOptions): ChatEngine {
  const { model, encoding, temperature = 0, maxOutputTokens = 64, answers } = options;
  const chat = connectChat(options);
  const store = answerStore(answers);
  const { decode } = createCharacterTokenizer(0);

  return {
    id: 'chat',
    options: {
      model,
      server: chat.server,
      encoding,
      temperature,
      max_output_tokens: maxOutputTokens,
      prompt: chatPromptVersion,
    },

    async fit({ folder, seed }) {
      await mkdir(folder, { recursive: true });
      await writeFileAtomic(join(folder, modelFile), `${JSON.stringify({ schema: 'redef.chat-model/1', seed })}\n`);
      return {
        folder,
        engine: 'chat',
        epochs: [],
        bestEpoch: 0,
        selectedByValidation: false,
        threshold: 0.5,
        files: [modelFile],
      };
    },

    async *predict(folder, examples, { signal, onEvent } = {}): AsyncGenerator<ChatScore, void, undefined> {
      const seed = await readSeed(folder);
      const stop = signal && AbortSignal.any([signal]);
      if (stop) setMaxListeners(0, stop); // each call under way has its own
      let done = 0;
      let unanswered = 0;
      const ask = async ({ id, inputIds }: { id: string; inputIds: ArrayLike<number> }) => {
        const request: ChatRequest = {
          ...chatPrompt(encoding, decode(inputIds)),
          temperature,
          maxOutputTokens,
          ...(temperature > 0 && { seed }),
        };
        return { id, answer: await answerTo(request, stop) };
      };
      for await (const { id, answer } of mapOrdered(examples, ask, { concurrency, ...(signal && { signal }) })) {
        done++;
        if ('unanswered' in answer) unanswered++;
        onEvent?.({ type: 'progress', stage: 'ask', done, unit: 'changes' });
        yield { id, score: 0, ...answer };
      }
      if (unanswered > mostUnanswered * done) {
        throw new RedefError(`${model} gave no readable answer to ${unanswered} of ${done} questions`, {
          code: 'too-few-answers',
          remedy: 'Choose a model that keeps to the asked form; the answers it gave are kept.',
        });
      }
    },
  };

  async function answerTo(request: ChatRequest, signal: AbortSignal | undefined): Promise<Answer> {
    const digest = digestOf({ version: chatPromptVersion, server: chat.server, model, ...request });
    const known = await store.get(digest);
    if (known !== undefined) return known;
    throwIfAborted(signal);
    const answer = await chat.ask(request, signal);
    await store.put(digest, answer);
    return answer;
  }
}

async function readSeed(folder: string): Promise<number> {
  const path = join(folder, modelFile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), modelSchema), text);
  if (parsed.success) return parsed.output.seed;
  throw new RedefError(`${path}: not what the chat engine writes`, {
    code: 'invalid-model',
    remedy: 'Name the folder of a cell that this engine ran.',
  });
}

import { createHash } from 'node:crypto';
import { RedefError, throwIfAborted } from '@redef/core';
import { type ModelConfig, maxInputTokens } from '@redef/models';
import type { Example } from '../engine.js';
import type { Unlabelled } from './predictor.js';

/** Tokens that an encoding may add without saying so: tags, of which the papers' encodings have ten at most. */
const maxAddedTokens = 64;

/** An example in memory: 4 bytes a token. */
export type CollectedExample = Example & { inputIds: Int32Array };

/** @throws `RedefError` `wrong-vocabulary` or `invalid-label`, which name the example */
export async function collectExamples(
  examples: AsyncIterable<Example> | Iterable<Example>,
  signal?: AbortSignal,
): Promise<CollectedExample[]> {
  const collected: CollectedExample[] = [];
  for await (const { id, inputIds, label } of examples) {
    throwIfAborted(signal);
    const ids = Int32Array.from(inputIds);
    const position = ids.findIndex((token, index) => token !== inputIds[index]); // a NaN would have become a 0
    if (position >= 0) throw wrongToken(id, inputIds[position]!, position, 'which is no token id');
    if (label !== 0 && label !== 1) {
      throw new RedefError(`Example ${id} has the label ${label}`, {
        code: 'invalid-label',
        remedy: 'Label clean changes 0 and defective ones 1.',
      });
    }
    collected.push({ id, inputIds: ids, label });
  }
  return collected;
}

/** SHA-256 of all that the examples are. */
export function digestOfExamples(examples: readonly CollectedExample[]): string {
  const hash = createHash('sha256');
  for (const { id, label, inputIds } of examples) {
    hash.update(`${JSON.stringify([id, label, inputIds.length])}\n`).update(inputIds);
  }
  return hash.digest('hex');
}

/** Rows of the embedding table for these examples: those asked for, if the model has no more, or the model's, with room for added tokens where they are used. */
export function vocabularyFor(
  examples: readonly CollectedExample[],
  { vocab_size }: ModelConfig,
  asked?: number,
): number {
  if (asked !== undefined) return Math.max(asked, vocab_size);
  const usesMore = examples.some(({ inputIds }) => inputIds.some((id) => id >= vocab_size));
  return usesMore ? vocab_size + maxAddedTokens : vocab_size;
}

/** @throws `RedefError` `wrong-vocabulary`, `too-many-tokens` or `empty-example`, which name the example */
export function checkExample({ id, inputIds }: Unlabelled, config: ModelConfig): void {
  const limit = maxInputTokens(config);
  if (inputIds.length > limit) {
    throw new RedefError(`Example ${id} has ${inputIds.length} tokens, the model reads ${limit}`, {
      code: 'too-many-tokens',
      remedy: `Encode with a budget of ${limit} tokens.`,
    });
  }
  let used = 0;
  for (let position = 0; position < inputIds.length; position++) {
    const token = inputIds[position]!;
    const isKnown = Number.isInteger(token) && token >= 0 && token < config.vocab_size;
    if (!isKnown) throw wrongToken(id, token, position, `the model's vocabulary ends at ${config.vocab_size - 1}`);
    if (token !== config.pad_token_id) used++;
  }
  if (used === 0) {
    throw new RedefError(`Example ${id} has no tokens${inputIds.length > 0 ? ' but padding' : ''}`, {
      code: 'empty-example',
      remedy: 'Encode it with the special tokens of the model, which are never cut off.',
    });
  }
}

function wrongToken(id: string, token: number, position: number, problem: string): RedefError {
  return new RedefError(`Example ${id} has token id ${token} at position ${position}, ${problem}`, {
    code: 'wrong-vocabulary',
    remedy: "Encode with the model's own tokenizer, or pass vocabularySize where tokens were added to it.",
  });
}

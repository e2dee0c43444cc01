import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange } from '../test/changes.js';
import { createCounterfactual } from './counterfactuals/create-counterfactual.js';
import { encodeChanges } from './encode-changes.js';
import { createEncoding } from './encodings/create-encoding.js';
import { createLexicalTokenizer } from './tokenizers/lexical-tokenizer.js';
import type { BatchTokenizer, Tokenizer } from './tokenizers/tokenizer.js';

/** The lexical tokenizer with batches, answered out of step. */
function inBatches(tokenizer: Tokenizer): BatchTokenizer & { sizes: number[] } {
  const sizes: number[] = [];
  return {
    ...tokenizer,
    sizes,
    async encodeBatch(texts) {
      sizes.push(texts.length);
      await new Promise((resolve) => setTimeout(resolve, sizes.length % 2));
      return texts.map((text) => tokenizer.encode(text));
    },
    addTokens: (tokens) => ({ ...inBatches(tokenizer.addTokens(tokens)) }),
  };
}

const tokenizer = createLexicalTokenizer();
const changes = fc.sample(anyChange, { numRuns: 300, seed: 4 });
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('encodeChanges', () => {
  it.each(['before-after', 'diff-tags'] as const)('equals encode one by one, batches or not: %s', async (name) => {
    const encoding = createEncoding(name);
    const expected = changes.map((change) => encoding.encode(change, { tokenizer, maxTokens: 40 }));
    for (const own of [tokenizer, inBatches(tokenizer)]) {
      for (const batchSize of [1, 7, 64, 1000]) {
        expect(
          await collect(encodeChanges(changes, encoding, { tokenizer: own, maxTokens: 40 }, { batchSize })),
        ).toEqual(expected);
      }
    }
  });

  it('gives what comes before a row that cannot be read, batches or not', async () => {
    const encoding = createEncoding('diff-tags');
    const unreadable = { id: 'x', function_before: '', function_after: undefined as unknown as string };
    const rows = [...changes.slice(0, 100), unreadable];
    function* broken() {
      yield* changes.slice(0, 100);
      throw new Error('the file ends here');
    }
    for (const own of [tokenizer, inBatches(tokenizer)]) {
      for (const source of [rows, broken()]) {
        const ids: string[] = [];
        const reading = async () => {
          for await (const { id } of encodeChanges(source, encoding, { tokenizer: own, maxTokens: 40 })) ids.push(id);
        };
        await expect(reading()).rejects.toThrow(/function_after|the file ends here/);
        expect(ids).toEqual(changes.slice(0, 100).map(({ id }) => id));
      }
    }
  });

  it('perturbs the split that a counterfactual perturbs', async () => {
    const counterfactual = createCounterfactual('reversed-tags', { seed: 1 });
    const budget = { tokenizer, maxTokens: 40 };
    for (const split of ['train', 'test'] as const) {
      const expected = changes.map((change) => counterfactual.encode(change, budget, split));
      expect(await collect(encodeChanges(changes, counterfactual, budget, { split }))).toEqual(expected);
    }
  });

  it('hands whole batches on, reads no further ahead than two and closes its source', async () => {
    let read = 0;
    let closed = false;
    async function* source() {
      try {
        for (const change of changes) {
          read++;
          yield change;
        }
      } finally {
        closed = true;
      }
    }
    const batched = inBatches(tokenizer);
    for await (const _ of encodeChanges(
      source(),
      createEncoding('before-after'),
      { tokenizer: batched, maxTokens: 40 },
      { batchSize: 10 },
    )) {
      break;
    }
    expect(closed).toBe(true);
    expect(read).toBeLessThanOrEqual(30);
    expect(batched.sizes.every((size) => size === 20)).toBe(true); // two texts a change
  });

  it('stops when told to and refuses an empty batch', async () => {
    const controller = new AbortController();
    const stream = encodeChanges(
      changes,
      createEncoding('diff-tags'),
      { tokenizer, maxTokens: 40 },
      { signal: controller.signal },
    );
    await stream.next();
    controller.abort();
    await expect(stream.next()).rejects.toMatchObject({ code: 'aborted' });
    await expect(
      collect(encodeChanges([], createEncoding('diff-tags'), { tokenizer, maxTokens: 40 }, { batchSize: 0 })),
    ).rejects.toMatchObject({ code: 'invalid-option' });
  });
});

import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { outOfMemory } from './out-of-memory.js';

test('a lack of memory, of the runtime or of ours, is told with what to lower; other errors pass', () => {
  const runtime = new RedefError('bad_alloc', { code: 'out-of-memory', remedy: '' });
  let ours: unknown;
  try {
    new Uint16Array(2 ** 52);
  } catch (error) {
    ours = error;
  }
  for (const error of [runtime, ours]) {
    expect(outOfMemory(error, 'step 3', { rows: 8, lengths: [512, 64] })).toMatchObject({
      code: 'out-of-memory',
      message: 'Not enough memory for a batch of 8 x 512 x 64 tokens, step 3',
      remedy: expect.stringMatching(/^Lower the batch size \(8\).*accumulation.*fewer tokens than 512\.$/),
      cause: error,
    });
  }
  expect(outOfMemory(runtime, '', { rows: 1, lengths: [512] })).toMatchObject({
    remedy: expect.stringMatching(/^Encode with fewer tokens than 512/),
  });
  for (const other of [new RangeError('Maximum call stack size exceeded'), new Error('x')]) {
    expect(outOfMemory(other, '', { rows: 1, lengths: [8] })).toBe(other);
  }
});

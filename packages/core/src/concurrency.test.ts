import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapOrdered } from './concurrency.js';

const collect = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
};

test('results keep the order of the input though later ones finish first', async () => {
  const delays = [30, 1, 20, 1, 10, 1];
  const mapped = mapOrdered(delays, (delay, index) => sleep(delay, index), { concurrency: 3 });
  expect(await collect(mapped)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('never more than `concurrency` under way, and the source is read no further ahead', async () => {
  let underWay = 0;
  let most = 0;
  let read = 0;
  function* source(): Generator<number> {
    for (let i = 0; i < 50; i++) {
      read++;
      yield i;
    }
  }
  const mapped = mapOrdered(
    source(),
    async (item) => {
      most = Math.max(most, ++underWay);
      await sleep(1);
      underWay--;
      return item;
    },
    { concurrency: 4 },
  );
  await mapped.next();
  expect(read).toBeLessThanOrEqual(4);
  expect((await collect(mapped)).length).toBe(49);
  expect(most).toBe(4);
});

test('a failure surfaces after the results before it, and closes the source', async () => {
  let closed = false;
  async function* source(): AsyncGenerator<number> {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      closed = true;
    }
  }
  const seen: number[] = [];
  const failing = async () => {
    for await (const item of mapOrdered(
      source(),
      (item) => {
        if (item === 3) throw new Error('three');
        return item;
      },
      { concurrency: 2 },
    )) {
      seen.push(item);
    }
  };
  await expect(failing()).rejects.toThrow('three');
  expect(seen).toEqual([0, 1, 2]);
  expect(closed).toBe(true);
});

test('the results before a failure of the source are not lost', async () => {
  function* source(): Generator<number> {
    yield* [0, 1, 2];
    throw new Error('unreadable');
  }
  const seen: number[] = [];
  const failing = async () => {
    for await (const item of mapOrdered(source(), (i) => i)) seen.push(item);
  };
  await expect(failing()).rejects.toThrow('unreadable');
  expect(seen).toEqual([0, 1, 2]);
});

test("a consumer's break closes the source; an abort stops with code `aborted`", async () => {
  let closed = 0;
  async function* source(): AsyncGenerator<number> {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      closed++;
    }
  }
  for await (const item of mapOrdered(source(), (i) => i)) if (item === 5) break;
  expect(closed).toBe(1);

  const stop = new AbortController();
  const aborted = async () => {
    for await (const item of mapOrdered(source(), (i) => i, { signal: stop.signal })) if (item === 5) stop.abort();
  };
  await expect(aborted()).rejects.toMatchObject({ code: 'aborted' });
  expect(closed).toBe(2);
});

test.each([0, -1, 1.5, Number.NaN])('concurrency %s is refused', async (concurrency) => {
  await expect(collect(mapOrdered([1], (i) => i, { concurrency }))).rejects.toMatchObject({ code: 'invalid-option' });
});

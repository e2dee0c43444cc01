import type { ProgressEvent } from '@redef/core';
import type { Cell, StudyEvent } from '@redef/experiment';
import { expect, test } from 'vitest';
import { createCellProgress } from './study-progress.js';

test('the time left is that of the kinds of cells that are left, shared among those that run at once', () => {
  const cell = (key: string, model: string): Cell => ({ key, model }) as Cell;
  const cells = ['quick', 'slow'].flatMap((model) => [1, 2, 3, 4].map((i) => cell(`${model} ${i}`, model)));
  let time = 0;
  const left: (number | undefined)[] = [];
  const messages: string[] = [];
  const tell = createCellProgress(
    {
      stderr: { write: (text: string) => messages.push(text) } as unknown as NodeJS.WritableStream,
      onProgress: (event: ProgressEvent & { seconds_left?: number }) => left.push(event.seconds_left),
    },
    () => time,
  );
  let done = 0;
  const say = (key: string, event: 'started' | 'done' | 'reused'): void => {
    if (event !== 'started') done++;
    tell({
      type: 'cell',
      cell: cells.find((candidate) => candidate.key === key)!,
      event: event === 'started' ? { type: event, key } : { type: 'done', key, reused: event === 'reused' },
      done,
      failed: 0,
      total: cells.length,
    } satisfies StudyEvent);
  };
  tell({ type: 'planned', cells });
  say('quick 1', 'reused');
  expect(left).toEqual([undefined]);
  say('quick 2', 'started');
  time = 1_000;
  say('quick 2', 'done');
  expect(left.at(-1)).toBe(6); // six cells of a second each, as far as can be known
  say('slow 1', 'started');
  say('slow 2', 'started');
  time = 101_000;
  say('slow 1', 'done');
  expect(left.at(-1)).toBe((2 * 1 + 3 * 100) / 2);
  expect(messages).toEqual([]);
});

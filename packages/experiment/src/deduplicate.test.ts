import { expect, test } from 'vitest';
import { deduplicateSplit, type PairRow } from './deduplicate.js';

const row = (id: string, pair: string, label: PairRow['label'], split: PairRow['split']): PairRow => ({
  id,
  pair,
  label,
  split,
});
const rows = [
  row('1', 'a', 'clean', 'train'),
  row('2', 'a', 'clean', 'train'), // again in its own set
  row('3', 'b', 'defective', 'train'),
  row('4', 'b', 'clean', 'test'), // the same pair under the other label
  row('5', 'a', 'clean', 'test'), // again in another set
  row('6', 'c', 'defective', 'validation'),
];

test('cutting from train keeps the test set whole', async () => {
  const { kept, rejects } = await deduplicateSplit(rows, 'cut-from-train');
  expect(kept.map(({ id }) => id)).toEqual(['5', '6']);
  expect(rejects.map(({ id, reason, detail }) => [id, reason, detail])).toEqual([
    ['3', 'contradictory-label', 'twin 4'],
    ['4', 'contradictory-label', 'twin 3'],
    ['1', 'cross-set-duplicate', 'twin 5'],
    ['2', 'in-set-duplicate', 'twin 1'],
  ]);
});

test('cutting from test keeps the training set whole', async () => {
  const { kept, rejects } = await deduplicateSplit(rows, 'cut-from-test');
  expect(kept.map(({ id }) => id)).toEqual(['1', '6']);
  expect(rejects.find(({ id }) => id === '5')).toMatchObject({ reason: 'cross-set-duplicate', detail: 'twin 1' });
});

test('nothing to remove, nothing removed; no rows, no rows', async () => {
  const apart = [row('1', 'a', 'clean', 'train'), row('2', 'b', 'clean', 'test')];
  expect(await deduplicateSplit(apart, 'cut-from-train')).toEqual({ kept: apart, rejects: [] });
  expect(await deduplicateSplit([], 'cut-from-train')).toEqual({ kept: [], rejects: [] });
});

test('two rows of one id are refused, of which each would take the other out', async () => {
  await expect(deduplicateSplit([...rows, rows[0]!], 'cut-from-train')).rejects.toMatchObject({ code: 'duplicate-id' });
});

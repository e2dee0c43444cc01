import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { repairTables } from './report-tables.js';
import { readPredictions, readTruths, type ScoreRow } from './rows.js';
import { scoreRepairs } from './score-repairs.js';

async function* placed(rows: ScoreRow['row'][]): AsyncGenerator<ScoreRow> {
  for (const [i, row] of rows.entries()) yield { row, place: `file, row ${i + 1}` };
}
const messageOf = async (rows: ScoreRow['row'][]) =>
  readPredictions(placed(rows)).then(
    () => 'none',
    (error: unknown) => (RedefError.isInstance(error) ? `${error.code}: ${error.message}` : error),
  );

test('the id is a column, the unnamed column, or the row number', async () => {
  const samples = { source: 'CWE-1 a', target: '\n' };
  const ids = async (rows: ScoreRow['row'][]) => {
    const found: string[] = [];
    for await (const { id } of readTruths(placed(rows))) found.push(id);
    return found;
  };
  expect(await ids([{ id: 7, ...samples }, { '': '9', ...samples }, samples])).toEqual(['7', '9', '2']);
  await expect(ids([{ source: 'a' }])).rejects.toThrow('file, row 1: no column target');
});

test('predictions come as lists, as JSON lists, or a row each', async () => {
  expect(
    await readPredictions(
      placed([
        { id: 'a', seed: 1, predictions: ['x', 'y'] },
        { id: 'b', predictions: '["z"]' },
        { id: 'c', seed: '2', rank: '2', prediction: 'second' },
        { id: 'c', seed: '2', rank: '1', prediction: 'first' },
        { id: 'd', seed: null, prediction: null },
        { id: 'd', prediction: 'in order' },
      ]),
    ),
  ).toEqual([
    { id: 'a', seed: '1', predictions: ['x', 'y'] },
    { id: 'b', predictions: ['z'] },
    { id: 'c', seed: '2', predictions: ['first', 'second'] },
    { id: 'd', predictions: ['', 'in order'] },
  ]);
});

test('a row that has no predictions is named', async () => {
  expect(await messageOf([{ predictions: [] }])).toBe('missing-column: file, row 1: no column id');
  expect(await messageOf([{ id: 1 }])).toBe('missing-column: file, row 1: no column prediction');
  expect(await messageOf([{ id: 1, predictions: 'x' }])).toContain('invalid-predictions: file, row 1');
  expect(await messageOf([{ id: 1, predictions: [1] }])).toContain('is not a list of texts');
  expect(await messageOf([{ id: 1, prediction: 5 }])).toContain('prediction is not text');
  expect(await messageOf([{ id: 1, prediction: 'x', rank: 'first' }])).toContain('rank is not a number');
});

test('the report as tables', () => {
  const truths = [
    { id: '0', source: 'CWE-787 a', target: 't' },
    { id: '1', source: 'CWE-22 a', target: 'u' },
  ];
  const [bySeed, topTen, all] = repairTables(
    scoreRepairs(truths, [
      { id: '0', seed: 1, predictions: ['t'] },
      { id: '1', seed: 2, predictions: ['u'] },
      { id: '0', seed: 2, predictions: ['t'] },
    ]),
  );
  expect(bySeed!.columns.map(({ title }) => title)).toEqual(['metric', 'seed 1', 'seed 2', 'mean', 'deviation']);
  expect(bySeed!.rows[0]!.cells).toEqual(['perfect prediction', '50.00', '100.00', '75.00', '35.36']);
  expect(topTen!.rows).toHaveLength(11);
  expect(topTen!.rows.map(({ cells }) => cells.join(' ')).filter((row) => !row.includes(' 0 - '))).toEqual([
    '1 CWE-787 1 100.00 100.00 1 1',
    '8 CWE-22 1 50.00 50.00 0 1',
    ' all ten 2 75.00 75.00 1 2',
  ]);
  expect(topTen!.rows[1]!.cells).toEqual(['2', 'CWE-79', '0', '-', '-', '0', '0']);
  expect(all!.rows.map(({ cells }) => cells[0])).toEqual(['CWE-22', 'CWE-787']);
});

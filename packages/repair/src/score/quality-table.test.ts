import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { qualityTable, type SampleJudgement } from './quality-table.js';
import { repairTables } from './report-tables.js';
import { readJudgements } from './rows.js';
import { type RepairTruth, scoreRepairs } from './score-repairs.js';

// R+R, table XV: samples of RQ2B, accurate, complete, both.
const tableXv: Record<string, readonly [number, number, number, number]> = {
  'CWE-787': [33, 15, 18, 12],
  'CWE-79': [0, 0, 0, 0],
  'CWE-78': [1, 0, 0, 0],
  'CWE-89': [1, 1, 1, 1],
  'CWE-416': [29, 11, 18, 7],
  'CWE-22': [2, 1, 0, 0],
  'CWE-352': [2, 2, 1, 1],
};
const truths: RepairTruth[] = [];
const judgements: SampleJudgement[] = [];
for (const [cwe, [samples, accurate, complete, both]] of Object.entries(tableXv)) {
  for (let index = 0; index < samples; index++) {
    const id = `${cwe}-${index}`;
    truths.push({ id, source: `${cwe} a b c`, target: 'x' });
    const isComplete = index < both || (index >= accurate && index < accurate + complete - both);
    judgements.push({ id, accurate: index < accurate, complete: isComplete });
  }
}
truths.push({ id: 'new', source: 'CWE-20 a b c', target: 'x' }, { id: 'other', source: 'CWE-1 a b c', target: 'x' });
// Seed 1 repairs the accurate ones, seed 2 those that are complete as well.
const predictions = judgements.flatMap(({ id, accurate, complete }) => [
  { id, seed: 1, predictions: [accurate ? 'x' : 'y'] },
  { id, seed: 2, predictions: [accurate && complete ? 'x' : 'y'] },
]);

test("R+R's table XV, and how the models do on what is left", () => {
  const { quality, scores } = scoreRepairs(truths, predictions, { judgements });
  for (const { cwe, ...parts } of quality!.rows) {
    const counts = [parts.all, parts.accurate, parts.complete, parts.both].map(({ samples }) => samples);
    expect([cwe, counts]).toEqual([cwe, tableXv[cwe] ?? [0, 0, 0, 0]]);
  }
  expect(quality!.total).toEqual({
    all: { samples: 68, perfectPrediction: (30 + 21) / 2 / 68 },
    accurate: { samples: 30, perfectPrediction: (30 + 21) / 2 / 30 },
    complete: { samples: 38, perfectPrediction: 21 / 38 },
    both: { samples: 21, perfectPrediction: 1 },
  });
  expect(quality!.unjudged).toBe(1);
  expect(qualityTable(scores, []).total.all).toEqual({ samples: 0, perfectPrediction: 0 });
});

test('the table stands in the report where there are judgements, and the Top 10 table counts for each seed', () => {
  const tables = repairTables(scoreRepairs(truths, predictions, { judgements }));
  const quality = tables.find(({ caption }) => caption.includes('RQ4B'))!;
  expect(quality.rows.at(-1)!.cells).toEqual(['all ten', '68', '37.50', '30', '85.00', '38', '55.26', '21', '100.00']);
  const topTen = tables.find(({ caption }) => caption.includes('table') && caption.includes('XXIII'))!;
  expect(topTen.columns.map(({ title }) => title).slice(-2)).toEqual(['correct, seed 1', 'correct, seed 2']);
  expect(topTen.rows[0]!.cells).toEqual(['1', 'CWE-787', '33', '40.91', '40.91', '15', '12']);
  expect(repairTables(scoreRepairs(truths, predictions)).some(({ caption }) => caption.includes('RQ4B'))).toBe(false);
});

test('judgements are read from rows', async () => {
  const read = async (...rows: Record<string, unknown>[]) =>
    readJudgements(
      (async function* () {
        for (const row of rows) yield { row, place: 'file:1' };
      })(),
    );
  expect(await read({ id: 7, accurate: 'Yes', complete: 0 }, { '': 'b', accurate: false, complete: 'true' })).toEqual([
    { id: '7', accurate: true, complete: false },
    { id: 'b', accurate: false, complete: true },
  ]);
  for (const [row, code] of [
    [{ id: 'a', accurate: 'maybe', complete: 'no' }, 'invalid-judgement'],
    [{ id: 'a', accurate: 'yes' }, 'missing-column'],
    [{ accurate: 'yes', complete: 'no' }, 'missing-column'],
  ] as const) {
    const error = await read(row).catch((thrown: unknown) => thrown);
    expect(RedefError.isInstance(error) && error.code).toBe(code);
  }
});

import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import type * as api from './index.js';
import * as dedup from './index.js';

// As a caller without types may call them.
const untyped = dedup as unknown as Record<keyof typeof api, (...values: unknown[]) => unknown>;
const rows = [{ source: 'x' }];
const sets = { train: rows, test: rows };

async function codeOf(call: () => unknown): Promise<string> {
  try {
    const result = call();
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
      for await (const _ of result as AsyncIterable<unknown>);
    }
    await result;
  } catch (error) {
    return RedefError.isInstance(error) ? error.code : String(error);
  }
  return 'nothing thrown';
}

test.each(['RQ2B', 'cut_from_test', 'cut-from-Test', 'toString', '', undefined, null, 0, ['cut-from-test']])(
  'the policy %j is refused, and the error names those there are',
  async (policy) => {
    for (const name of ['removeDuplicates', 'collectDeduplicated'] as const) {
      expect(await codeOf(() => untyped[name](sets, { policy }))).toBe('invalid-option');
    }
    await expect(untyped.collectDeduplicated(sets, { policy })).rejects.toThrow(
      /'cut-from-train' \(RQ2A, RQ3A\) or 'cut-from-test' \(RQ2B, RQ3B\)/,
    );
  },
);

const policy = 'cut-from-test';
const wrongKeys = ['source', 5, [5], {}, null].map((key) => ({ key }));
const wrongNear = [
  ...[{ threshold: 0 }, { threshold: 1.1 }, { threshold: '0.8' }, { threshold: null }, { threshold: Number.NaN }],
  ...[{ recall: 1 }, { recall: '0.9' }, { shingleTokens: 0 }, { shingleTokens: 1.5 }, { minTokens: '20' }],
  ...[{ seed: Number.NaN }, { seed: {} }, { seed: null }, { column: 5 }],
];
const wrongLayouts = [
  null,
  5,
  'x',
  [],
  { code: 5 },
  { labels: 'label' },
  { within: [1] },
  { function: 'f' },
  { time: null },
];
const audit = { sets: { test: { rows: 1 } }, leakedRows: { exact: [] } };

test.each<[keyof typeof api, unknown[]]>([
  ...[null, 5, 'x', []].flatMap((options): [keyof typeof api, unknown[]][] => [
    ['auditData', [sets, options]],
    ['auditChanges', [[], options]],
    ['removeDuplicates', [sets, options]],
    ['findNearDuplicates', [sets, options]],
    ['findCorpusOverlap', [sets, sets, options]],
    ['estimateInflation', [[], audit, options]],
    ['inferLayout', [{ source: 'x' }, options]],
  ]),
  ['removeDuplicates', [sets]],
  ...wrongKeys.flatMap((options): [keyof typeof api, unknown[]][] => [
    ['auditData', [sets, options]],
    ['removeDuplicates', [sets, { policy, ...options }]],
    ['findCorpusOverlap', [sets, sets, options]],
    ['inferLayout', [{ source: 'x' }, options]],
  ]),
  ...wrongLayouts.map((layout): [keyof typeof api, unknown[]] => ['auditData', [sets, { layout }]]),
  ...wrongNear.flatMap((near): [keyof typeof api, unknown[]][] => [
    ['findNearDuplicates', [sets, near]],
    ['auditData', [sets, { near }]],
    ['auditChanges', [[], { near }]],
  ]),
  ...['yes', 1, 0].map((near): [keyof typeof api, unknown[]] => ['auditData', [sets, { near }]]),
  ['auditData', [sets, { quality: 'no' }]],
  ['auditData', [sets, { levels: 'exact' }]],
  ['auditData', [sets, { levels: {} }]],
  ...[0, -1, 1.5, Number.NaN, '5', null].map((resamples): [keyof typeof api, unknown[]] => [
    'estimateInflation',
    [[], audit, { resamples }],
  ]),
  ...[{ seed: {} }, { column: 5 }, { source: 5 }].map((options): [keyof typeof api, unknown[]] => [
    'estimateInflation',
    [[], audit, options],
  ]),
  ...[undefined, null, {}, { sets: {}, leakedRows: {} }, { sets: null, leakedRows: {} }].map(
    (given): [keyof typeof api, unknown[]] => ['estimateInflation', [[], given]],
  ),
  ['expectedRecall', [2, { bands: 1, rowsPerBand: 1 }]],
  ['expectedRecall', [Number.NaN, { bands: 1, rowsPerBand: 1 }]],
  ['expectedRecall', [0.5, { bands: 0, rowsPerBand: 1 }]],
  ['expectedRecall', [0.5, null]],
  ['planBands', [-1, 0.9]],
  ['planBands', [0.8, 1]],
  ...[undefined, null, {}, []].flatMap((given): [keyof typeof api, unknown[]][] => [
    ['renderAuditMarkdown', [given]],
    ['renderAuditHtml', [given]],
    ['auditTables', [given]],
    ['auditVerdicts', [given]],
  ]),
])('%s refuses %j', async (name, values) => {
  expect(await codeOf(() => untyped[name](...values))).toBe('invalid-option');
});

test.each([undefined, null, 5, 'x', [], {}, { a: null }, { a: 5 }, { a: {} }, { a: 'text' }, { 1: rows }])(
  'the sets %j are refused',
  async (given) => {
    expect(await codeOf(() => untyped.auditData(given))).toBe('invalid-sets');
    expect(await codeOf(() => untyped.removeDuplicates(given, { policy }))).toBe('invalid-sets');
    expect(await codeOf(() => untyped.collectDeduplicated(given, { policy }))).toBe('invalid-sets');
    expect(await codeOf(() => untyped.findNearDuplicates(given))).toBe('invalid-sets');
    expect(await codeOf(() => untyped.findCorpusOverlap(given, sets))).toBe('invalid-sets');
    expect(await codeOf(() => untyped.findCorpusOverlap(sets, given))).toBe('invalid-sets');
  },
);

test('rows of another kind are refused', async () => {
  const round: { self?: unknown } = {};
  round.self = round;
  for (const row of [null, 5, ['x']]) {
    expect(await codeOf(() => untyped.auditData({ a: [row] }))).toBe('invalid-row');
    expect(await codeOf(() => untyped.auditChanges([row]))).toBe('invalid-row');
    expect(await codeOf(() => untyped.inferLayout(row))).toBe('invalid-row');
  }
  expect(await codeOf(() => untyped.auditData({ a: [{ source: round }] }))).toBe('invalid-row');
  expect(await codeOf(() => untyped.removeDuplicates({ a: [{ source: round }] }, { policy }))).toBe('invalid-row');
  for (const given of [null, undefined, 5]) {
    expect(await codeOf(() => untyped.auditChanges(given))).toBe('invalid-sets');
    expect(await codeOf(() => untyped.estimateInflation(given, audit))).toBe('invalid-sets');
  }
});

test.each(['toString', '', 5, null, {}, ['exact', 'x'], [null]])('the level %j is refused', async (level) => {
  expect(await codeOf(() => untyped.levelName(level))).toBe('unknown-level');
  expect(await codeOf(() => untyped.auditData(sets, { levels: [level] }))).toBe('unknown-level');
  expect(await codeOf(() => untyped.removeDuplicates({ a: [] }, { policy, level }))).toBe('unknown-level');
  expect(await codeOf(() => untyped.estimateInflation([], audit, { level }))).toBe('unknown-level');
  expect(await codeOf(() => untyped.parseLevel(typeof level === 'string' ? level : undefined))).toBe('unknown-level');
});

test('by default columns that number or name the rows are not compared, and a key takes them in', async () => {
  for (const column of ['', 'Unnamed: 0', 'index', 'id', 'idx']) {
    const people = {
      a: [
        { [column]: 'alice', x: 'a' },
        { [column]: 'bob', x: 'a' },
      ],
    };
    expect((await dedup.auditData(people)).sets.a).toEqual({ rows: 2, inSetDuplicates: 1, unique: 1 });
    expect((await dedup.auditData(people, { key: [column, 'x'] })).sets.a?.unique).toBe(2);
  }
});

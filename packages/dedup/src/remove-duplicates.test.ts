import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import type { LevelOption } from './levels.js';
import { collectDeduplicated, type RemovalPolicy } from './remove-duplicates.js';

const policies: RemovalPolicy[] = ['cut-from-train', 'cut-from-test'];

describe('removeDuplicates', () => {
  test('lists every removed row with its reason and twin, and keeps rows as they were', async () => {
    const train = [{ source: 'CWE-1 a' }, { source: 'CWE-2 a' }, { source: 'CWE-1 b' }];
    const tests = [{ source: 'CWE-9 b' }, { source: 'CWE-1 c' }];
    const { kept, removed } = await collectDeduplicated(
      { train, test: tests },
      { policy: 'cut-from-train', level: 'tag-stripped' },
    );
    expect(kept).toEqual({ train: [{ source: 'CWE-1 a' }], test: tests });
    expect(removed.map(({ set, row, removed }) => ({ set, row, ...removed }))).toEqual([
      { set: 'train', row: 1, reason: 'in-set-duplicate', twin: { set: 'train', row: 0 } },
      { set: 'train', row: 2, reason: 'cross-set-duplicate', twin: { set: 'test', row: 0 } },
    ]);
  });

  test('keeps as many rows as the audit foretells, and leaves none to remove', async () => {
    const row = fc.record({
      source: fc
        .tuple(fc.constantFrom('CWE-1 ', 'CWE-22 ', ''), fc.constantFrom('a', 'b', 'c', ''))
        .map((parts) => parts.join('')),
    });
    const sets = fc.record({ train: fc.array(row), validation: fc.array(row), test: fc.array(row) });
    await fc.assert(
      fc.asyncProperty(
        sets,
        fc.constantFrom<LevelOption>('exact', 'tag-stripped'),
        fc.constantFrom(...policies),
        async (data, level, policy) => {
          const audit = await auditData(data);
          const { kept, removed } = await collectDeduplicated(data, { policy, level });
          const expected = (level === 'exact' ? audit : audit.tagStripped).afterPolicy[
            policy === 'cut-from-train' ? 'cutFromTrain' : 'cutFromTest'
          ];
          expect(Object.fromEntries(Object.entries(kept).map(([name, rows]) => [name, rows.length]))).toEqual(expected);
          expect(removed.length + Object.values(kept).flat().length).toBe(
            data.train.length + data.validation.length + data.test.length,
          );
          expect((await collectDeduplicated(kept, { policy, level })).removed).toEqual([]);
        },
      ),
    );
  });
});

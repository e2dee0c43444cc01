import { describe, expect, test } from 'vitest';
import { parseCsv, sharedText } from '../test/shared-data.js';
import { auditData } from './audit-data.js';

const tagged = (tag: string, code: string) => ({ source: `${tag} ${code}\n`, target: '\n' });

describe('auditData', () => {
  test('counts duplicates within and across two sets at each level', async () => {
    const audit = await auditData({
      train: [tagged('CWE-1', 'a b'), tagged('CWE-1', 'a b'), tagged('CWE-22', 'a b'), tagged('CWE-1', 'c')],
      test: [tagged('CWE-1', 'a b'), tagged('CWE-1234', 'c'), tagged('CWE-7', 'd <S2SV_StartBug> e <S2SV_EndBug>')],
    });
    expect(audit.sets).toEqual({
      train: { rows: 4, inSetDuplicates: 1, unique: 3 },
      test: { rows: 3, inSetDuplicates: 0, unique: 3 },
    });
    expect(audit.crossSetDuplicates).toBe(1);
    expect(audit.tagStripped.sets.train).toEqual({ rows: 4, inSetDuplicates: 2, unique: 2 });
    expect(audit.tagStripped.crossSetDuplicates).toBe(2);
    expect(audit.afterPolicy).toEqual({ cutFromTrain: { train: 2, test: 3 }, cutFromTest: { train: 3, test: 2 } });
    expect(audit.contradictions).toBe(2);
    expect(audit.contradictionsBy).toMatchObject([
      { by: 'CWE tag', codes: 2, rows: 6, sets: { train: 1, test: 0 }, acrossOnly: 1 },
    ]);
    expect(audit.leakedRows).toMatchObject({ exact: [0], 'tag-stripped': [0, 1] });
  });

  test('a function with both labels is a contradiction', async () => {
    const audit = await auditData({
      train: [
        { func: 'int f() {}', target: 0 },
        { func: 'int f() {}', target: 1 },
        { func: 'int g() {}', target: 1 },
      ],
    });
    expect(audit.contradictions).toBe(1);
    expect(audit.contradictionsBy.find(({ by }) => by === 'target')?.examples).toEqual([
      {
        labels: [
          { label: '0', at: { set: 'train', row: 0 } },
          { label: '1', at: { set: 'train', row: 1 } },
        ],
      },
    ]);
  });

  test('a label that is part of the key does not hide a contradiction', async () => {
    const audit = await auditData({
      train: [
        { body: 'x', label: 0 },
        { body: 'x', label: 1 },
        { body: 'y', label: 1 },
      ],
    });
    expect(audit.layout.key).toEqual(['body', 'label']);
    expect(audit.sets.train).toEqual({ rows: 3, inSetDuplicates: 0, unique: 3 });
    expect(audit.contradictions).toBe(1);
  });

  test('three sets: each policy keeps a key once, at its own end', async () => {
    const [a, b, c] = [{ source: 'a' }, { source: 'b' }, { source: 'c' }];
    const audit = await auditData({ train: [a, b, c], validation: [a, b], test: [a, a] });
    expect(audit.afterPolicy).toEqual({
      cutFromTrain: { train: 1, validation: 1, test: 1 },
      cutFromTest: { train: 3, validation: 0, test: 0 },
    });
    expect(audit.crossSetDuplicates).toBe(2);
    expect(audit.crossSetPairs).toEqual({ 'train+validation': 2, 'train+test': 1, 'validation+test': 1 });
  });

  test('a missing key column is refused by name', async () => {
    await expect(auditData({ train: [{ source: 'a' }], test: [{ sauce: 'a' }] })).rejects.toMatchObject({
      code: 'missing-column',
      message: 'test: no column "source" in its first row, which has "sauce"',
    });
  });

  test('the published VulRepair folds give the known figures', async (context) => {
    const [val, fold] = [sharedText('vulrepair/val.csv'), sharedText('vulrepair/fold0-val.csv')];
    if (!val || !fold) return context.skip();
    for (const key of [['source'], ['source', 'target']]) {
      const audit = await auditData({ train: parseCsv(fold), test: parseCsv(val) }, { key });
      expect(audit.sets).toEqual({
        train: { rows: 853, inSetDuplicates: 32, unique: 821 },
        test: { rows: 839, inSetDuplicates: 25, unique: 814 },
      });
      expect(audit.tagStripped.sets).toMatchObject({ train: { inSetDuplicates: 35 }, test: { inSetDuplicates: 27 } });
      expect([audit.crossSetDuplicates, audit.tagStripped.crossSetDuplicates]).toEqual([174, 183]);
    }
  });

  test('the published CodeXGLUE pairs have no duplicate within or across', async (context) => {
    const read = (set: string) => {
      const [buggy, fixed] = [
        sharedText(`codexglue-refinement/small.${set}.buggy`),
        sharedText(`codexglue-refinement/small.${set}.fixed`),
      ];
      if (!buggy || !fixed) return undefined;
      const patches = fixed.trimEnd().split('\n');
      return buggy
        .trimEnd()
        .split('\n')
        .map((line, row) => ({ buggy: line, fixed: patches[row]! }));
    };
    const [validation, tests] = [read('valid'), read('test')];
    if (!validation || !tests) return context.skip();
    for (const key of [['buggy'], ['buggy', 'fixed']]) {
      const audit = await auditData({ validation, test: tests }, { key });
      expect(audit.sets).toEqual({
        validation: { rows: 5835, inSetDuplicates: 0, unique: 5835 },
        test: { rows: 5835, inSetDuplicates: 0, unique: 5835 },
      });
      expect(audit.crossSetDuplicates).toBe(0);
    }
  });
});

import { expect, test } from 'vitest';
import { findCorpusOverlap } from './corpus-overlap.js';

test('counts the rows of each set that stand in the pre-training corpus, whatever their tags and markers', async () => {
  const overlap = await findCorpusOverlap(
    {
      bugfix: [
        { source: 'CWE-000 a <S2SV_StartBug> b <S2SV_EndBug> c' },
        { source: 'CWE-000 d' },
        { source: 'CWE-000 d' },
      ],
    },
    {
      train: [{ source: 'CWE-79 e' }],
      test: [
        { source: 'CWE-1284 <S2SV_StartBug> a b <S2SV_EndBug> c' },
        { source: 'CWE-20 d' },
        { source: 'CWE-22 d' },
        { source: 'CWE-22 f' },
      ],
    },
  );
  expect(overlap.corpus).toEqual({ bugfix: { rows: 3, unique: 2 } });
  expect(overlap.sets.train).toMatchObject({ rows: 1, matchingRows: 0 });
  expect(overlap.sets.test).toEqual({
    rows: 4,
    unique: 3,
    matchingRows: 3,
    matchingUnique: 2,
    examples: [
      { row: 0, twin: { set: 'bugfix', row: 0 } },
      { row: 1, twin: { set: 'bugfix', row: 1 } },
      { row: 2, twin: { set: 'bugfix', row: 1 } },
    ],
  });
  expect(overlap.level).toBe('tag-stripped+marker-stripped');
});

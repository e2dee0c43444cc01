import { describe, expect, test } from 'vitest';
import { jaccardOf, type PlantedRow, plantedCorpus } from '../test/planted-corpus.js';
import type { NearDuplicates } from './clones.js';
import { findNearDuplicates } from './near-duplicates.js';

function tokensOf(row: PlantedRow): string[] {
  return row.source.replace(/\/\*.*?\*\/|\/\/.*/g, '').match(/"[^"]*"|\w+|->|\+=|==|!=|<<|&&|\|\||\S/g)!;
}

function clusterOf(found: NearDuplicates): Map<number, number> {
  return new Map(found.clusters.flatMap(({ rows }, cluster) => rows.map(({ row }) => [row, cluster] as const)));
}

describe('findNearDuplicates on a planted corpus', async () => {
  const rows = [...plantedCorpus(6000, 7)];
  const found = await findNearDuplicates({ all: rows }, { seed: 1 });
  const clusters = clusterOf(found);
  const byId = new Map(rows.map((row, index) => [row.id, index]));
  const recallOf = (kind: string) => {
    const planted = rows.flatMap((row, index) =>
      row.planted?.kind === kind ? [[index, byId.get(row.planted.of)!]] : [],
    );
    const together = planted.filter(
      ([copy, origin]) => clusters.has(copy!) && clusters.get(copy!) === clusters.get(origin!),
    );
    return { planted: planted.length, recall: together.length / planted.length };
  };

  test('finds every exact and every renamed copy', () => {
    expect(recallOf('exact')).toMatchObject({ recall: 1 });
    expect(recallOf('renamed')).toMatchObject({ recall: 1 });
    expect(recallOf('exact').planted).toBeGreaterThan(300);
  });

  test('finds at least 0.97 of the copies just above a Jaccard index of 0.8', () => {
    const near = rows.filter(({ planted }) => planted?.kind === 'near').map(({ planted }) => planted!.jaccard);
    expect(near.length).toBeGreaterThan(300);
    expect(near.filter((jaccard) => jaccard >= 0.8 && jaccard < 0.83).length / near.length).toBeGreaterThan(0.85);
    expect(recallOf('near').recall).toBeGreaterThanOrEqual(0.97);
    expect(found.settings.expectedRecall).toBeGreaterThanOrEqual(0.995);
  });

  test('precision is 1: the Jaccard index of every link is what the plainest means give', () => {
    for (const { first, second, kind, jaccard } of found.links) {
      expect(jaccard).toBe(jaccardOf(tokensOf(rows[first.row]!), tokensOf(rows[second.row]!)));
      if (kind === 'near') expect(jaccard).toBeGreaterThanOrEqual(0.8);
    }
    for (const { rows: members } of found.clusters) {
      expect(members).toHaveLength(2);
      const [origin, copy] = members.map(({ row }) => rows[row]!);
      expect(copy!.planted!.of).toBe(origin!.id);
    }
  });

  test('the same seed gives the same result, whichever set holds the rows', async () => {
    expect(await findNearDuplicates({ all: rows }, { seed: 1 })).toEqual(found);
    const split = await findNearDuplicates({ train: rows.slice(0, 3000), test: rows.slice(3000) }, { seed: 1 });
    expect(
      split.clusters.map((cluster) => cluster.rows.map(({ set, row }) => row + (set === 'test' ? 3000 : 0))),
    ).toEqual(found.clusters.map((cluster) => cluster.rows.map(({ row }) => row)));
  });
});

describe('leaks by cluster', () => {
  const body = 'int total = 0 ; for ( int i = 0 ; i < n ; i ++ ) total += values [ i ] ; return total ; }';
  const sum = `int sum ( int * values , int n ) { ${body}`;

  test('each leaked row is counted once, by its closest kind of twin', async () => {
    const found = await findNearDuplicates({
      train: [{ source: `CWE-1 ${sum}` }, { source: 'int x ( ) { return 1 ; }' }],
      test: [
        { source: `CWE-22 ${sum.replace('total', '<S2SV_StartBug> total <S2SV_EndBug>').replaceAll(' ', '\n')}` },
        { source: sum.replaceAll('total', 'acc').replaceAll('values', 'xs') },
        { source: sum.replace('return total', 'assert ( n ) ; return total') },
        { source: 'int x(){return 1;}' },
        { source: 'int y ( ) { return 1 ; }' },
      ],
    });
    expect(found.leak).toEqual({
      clusters: 2,
      rows: { train: 2, test: 4 },
      leakedRows: [0, 1, 2, 3],
      byKind: { exact: 2, renamed: 1, near: 1 },
    });
    expect(found.clusters.map(({ kinds }) => kinds)).toEqual([['exact', 'renamed', 'near'], ['exact']]);
    expect(found.sets).toEqual({ train: { rows: 2, short: 1 }, test: { rows: 5, short: 2 } });
  });

  test('odd input is told apart or refused', async () => {
    expect((await findNearDuplicates({ train: [], test: [] })).clusters).toEqual([]);
    expect(
      (await findNearDuplicates({ train: [{ source: '' }, { source: null }, { source: ' ' }] })).clusters,
    ).toHaveLength(1);
    await expect(findNearDuplicates({ train: [{ source: sum }] }, { threshold: 0 })).rejects.toMatchObject({
      code: 'invalid-option',
    });
    await expect(findNearDuplicates({ train: [{ source: sum }] }, { threshold: 0.01 })).rejects.toMatchObject({
      code: 'invalid-option',
    });
    await expect(findNearDuplicates({ train: [{ source: sum }] }, { column: 'code' })).rejects.toMatchObject({
      code: 'missing-column',
    });
  });

  test('stops when told to', async () => {
    await expect(
      findNearDuplicates({ train: [{ source: sum }] }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'aborted' });
  });
});

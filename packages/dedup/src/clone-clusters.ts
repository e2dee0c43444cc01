import { Uint32List } from './digest-table.js';
import type { RowRef } from './rows.js';

/**
 * How two texts are alike: `exact` token by token; `renamed` once each identifier is replaced by the number of its first
 * occurrence; `near` by the Jaccard index.
 */
export type CloneKind = 'exact' | 'renamed' | 'near';

export interface CloneCluster {
  /** In the order the rows came. */
  rows: RowRef[];
  kinds: CloneKind[];
}

/** What clusters say about leaks: a cluster with rows of several sets shows a model in training what it is tested on. */
export interface CloneLeak {
  /** Clusters with rows of several sets. */
  clusters: number;
  /** Rows in them, by set. */
  rows: Record<string, number>;
  /** Rows of the last set among them. */
  leakedRows: number[];
  /** The same rows by the closest kind of twin they have in another set; `near` may be by way of other rows. */
  byKind: Record<CloneKind, number>;
}

/** Rows in the order they came, and what was found out about their texts. */
export interface ClusteredRows {
  names: readonly string[];
  rows: number;
  setOf(row: number): number;
  refOf(row: number): RowRef;
  /** Number of the row's text: equal for equal tokens. */
  textOf(row: number): number;
  /** Number of a text's abstraction, or `undefined` where it is too short to have one. */
  abstractionOf(text: number): number | undefined;
  /** A number below `clusters` that all texts of a cluster share. */
  clusterOf(text: number): number;
  clusters: number;
}

/** Gathers rows into clusters of two or more. */
export function clusterRows(found: ClusteredRows): { clusters: CloneCluster[]; leak: CloneLeak } {
  const { names, rows } = found;
  const sizes = new Uint32Array(found.clusters);
  const clusterSets = new Uint32Array(found.clusters);
  const textSets = new Uint32List();
  const abstractionSets = new Uint32List();
  for (let row = 0; row < rows; row++) {
    const set = 1 << found.setOf(row);
    const text = found.textOf(row);
    const cluster = found.clusterOf(text);
    const abstraction = found.abstractionOf(text);
    sizes[cluster]!++;
    clusterSets[cluster]! |= set;
    textSets.set(text, textSets.get(text) | set);
    if (abstraction !== undefined) abstractionSets.set(abstraction, abstractionSets.get(abstraction) | set);
  }

  const leak: CloneLeak = {
    clusters: 0,
    rows: Object.fromEntries(names.map((name) => [name, 0])),
    leakedRows: [],
    byKind: { exact: 0, renamed: 0, near: 0 },
  };
  const members = new Map<number, number[]>();
  for (let row = 0; row < rows; row++) {
    const text = found.textOf(row);
    const cluster = found.clusterOf(text);
    if (sizes[cluster]! < 2) continue;
    const others = members.get(cluster);
    if (others) others.push(row);
    else members.set(cluster, [row]);

    const { set, row: number } = found.refOf(row);
    const sets = clusterSets[cluster]!;
    if ((sets & (sets - 1)) === 0) continue;
    if (!others) leak.clusters++;
    leak.rows[set]!++;
    if (set !== names.at(-1)) continue;
    leak.leakedRows.push(number);
    const own = 1 << (names.length - 1);
    const abstraction = found.abstractionOf(text);
    if ((textSets.get(text) & ~own) !== 0) leak.byKind.exact++;
    else if (abstraction !== undefined && (abstractionSets.get(abstraction) & ~own) !== 0) leak.byKind.renamed++;
    else leak.byKind.near++;
  }
  const clusters = [...members.values()].map((cluster) => ({
    rows: cluster.map((row) => found.refOf(row)),
    kinds: kindsIn(cluster, found),
  }));
  return { clusters, leak };
}

/** The kinds of twins in one cluster: texts that repeat, abstractions that several texts share, several abstractions. */
function kindsIn(cluster: readonly number[], found: ClusteredRows): CloneKind[] {
  const texts = new Set(cluster.map((row) => found.textOf(row)));
  const abstractions = new Set([...texts].map((text) => found.abstractionOf(text)));
  const kinds: CloneKind[] = [];
  if (texts.size < cluster.length) kinds.push('exact');
  if (abstractions.size < texts.size) kinds.push('renamed');
  if (abstractions.size > 1) kinds.push('near');
  return kinds;
}

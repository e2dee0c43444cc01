import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { candidatePairs } from './candidates.js';
import { cellText } from './cell-text.js';
import { requireColumn, requireCount } from './checks.js';
import { clusterRows } from './clone-clusters.js';
import type { CloneLink, NearDuplicateOptions, NearDuplicates } from './clones.js';
import { ColumnCheck } from './column-check.js';
import { DigestTable, digestWords, Uint32List } from './digest-table.js';
import { inferLayout } from './layout.js';
import { expectedRecall, MinHash, planBands } from './minhash.js';
import { type Row, type RowRef, rowError, setNames } from './rows.js';
import { SequenceStore, writeVarints } from './sequence-store.js';
import { hashShingles, ShingleJaccard } from './shingles.js';
import { TokenReader } from './token-reader.js';
import { UnionFind } from './union-find.js';

/** Takes rows in, in any order of sets, and finds the clusters at the end. */
export class NearDuplicateFinder {
  readonly #names: readonly string[];
  readonly #settings: NearDuplicates['settings'];
  #column: string | undefined;
  #check: ColumnCheck | undefined;
  readonly #reader = new TokenReader();
  readonly #minHash: MinHash;
  /** Distinct texts, and distinct texts under abstraction. */
  readonly #texts = new DigestTable();
  readonly #abstractions = new DigestTable();
  /** By text: its first row, and its place among the texts long enough to compare, plus one. */
  readonly #firstRow = new Uint32List();
  readonly #placeOf = new Uint32List();
  /** By place: text, abstraction, tokens, and the key in each band. */
  readonly #textAt = new Uint32List();
  readonly #abstractionAt = new Uint32List();
  readonly #sequences = new SequenceStore();
  readonly #bandKeys: Uint32List[];
  #places = 0;
  /** By row over all sets, in the order they came. */
  readonly #setOf = new Uint32List();
  readonly #numberOf = new Uint32List();
  readonly #textOf = new Uint32List();
  #rows = 0;
  readonly #counts: { rows: number; short: number }[];
  #bytes = Buffer.allocUnsafe(1 << 16);
  #shingles = new Int32Array(1 << 12);
  readonly #words = new Uint32Array(digestWords);
  readonly #keys: Uint32Array;

  constructor(names: readonly string[], options: NearDuplicateOptions = {}) {
    const { threshold = 0.8, shingleTokens = 3, recall = 0.995, minTokens = 20, seed = 0 } = options;
    requireCount('shingleTokens', shingleTokens);
    requireCount('minTokens', minTokens);
    requireColumn('column', options.column);
    const plan = planBands(threshold, recall);
    this.#names = setNames(names);
    this.#column = options.column;
    const column = options.column ?? '';
    this.#settings = {
      column,
      threshold,
      shingleTokens,
      minTokens,
      seed,
      ...plan,
      expectedRecall: expectedRecall(threshold, plan),
    };
    this.#minHash = new MinHash(plan, seed);
    this.#bandKeys = Array.from({ length: plan.bands }, () => new Uint32List());
    this.#keys = new Uint32Array(plan.bands);
    this.#counts = names.map(() => ({ rows: 0, short: 0 }));
  }

  /** @param row its 0-based position in its set; rows of a set come in order */
  add(set: number, row: number, value: Row): void {
    this.#column ??= codeColumn(value);
    const column = this.#column;
    const counts = this.#counts[set]!;
    this.#check ??= new ColumnCheck([column]);
    this.#check.check(this.#names[set]!, row, value);
    const length = this.#read(this.#names[set]!, row, value[column]);
    const short = length < this.#settings.minTokens;
    const known = this.#texts.size;
    const text = this.#texts.add(this.#digest(this.#reader.tokens, length), 0);
    if (text === known) {
      this.#firstRow.set(text, this.#rows);
      if (!short) this.#addText(text, length);
    }
    const index = this.#rows++;
    this.#setOf.set(index, set);
    this.#numberOf.set(index, row);
    this.#textOf.set(index, text);
    counts.rows++;
    if (short) counts.short++;
  }

  #read(set: string, row: number, value: unknown): number {
    try {
      return this.#reader.read(cellText(value));
    } catch (error) {
      throw rowError(set, row, error);
    }
  }

  async result({ signal, onEvent }: RunOptions = {}): Promise<NearDuplicates> {
    const together = new UnionFind(this.#places);
    const links: CloneLink[] = [];
    const work = { verified: 0, cappedBuckets: 0 };
    this.#joinRenamed(together, links);

    const keys = this.#bandKeys.map((list) => list.view(this.#places));
    const pairs = candidatePairs(keys, {
      together: (first, second) => together.find(first) === together.find(second),
      onCapped: () => work.cappedBuckets++,
    });
    const jaccard = this.#comparer();
    let reached = -1;
    for (const [first, second, band] of pairs) {
      if (band !== reached || work.verified % 10_000 === 0) {
        reached = band;
        onEvent?.({ type: 'progress', stage: 'compare', done: band, total: keys.length, unit: 'bands' });
        await setImmediate(); // lets a signal fire: the loop never waits for anything else
        throwIfAborted(signal);
      }
      work.verified++;
      const index = jaccard(first, second);
      if (index < this.#settings.threshold) continue;
      together.join(first, second);
      links.push(this.#link('near', first, second, index));
    }
    onEvent?.({ type: 'progress', stage: 'compare', done: keys.length, total: keys.length, unit: 'bands' });

    const found = clusterRows({
      names: this.#names,
      rows: this.#rows,
      setOf: (row) => this.#setOf.get(row),
      refOf: (row) => this.#ref(row),
      textOf: (row) => this.#textOf.get(row),
      abstractionOf: (text) =>
        this.#placeOf.get(text) === 0 ? undefined : this.#abstractionAt.get(this.#placeOf.get(text) - 1),
      // A text too short to compare is a cluster of its own; its number follows those of the places.
      clusterOf: (text) =>
        this.#placeOf.get(text) === 0 ? this.#places + text : together.find(this.#placeOf.get(text) - 1),
      clusters: this.#places + this.#texts.size,
    });
    return {
      schema: 'redef.near-duplicates/1',
      settings: { ...this.#settings, column: this.#column ?? '' },
      sets: Object.fromEntries(this.#names.map((name, set) => [name, this.#counts[set]!])),
      ...found,
      links,
      work,
    };
  }

  #addText(text: number, length: number): void {
    const place = this.#sequences.add(this.#reader.tokens, length);
    this.#places = place + 1;
    this.#placeOf.set(text, place + 1);
    this.#textAt.set(place, text);
    this.#reader.abstract(length);
    this.#abstractionAt.set(place, this.#abstractions.add(this.#digest(this.#reader.abstracted, length), 0));
    if (this.#shingles.length < length) this.#shingles = new Int32Array(length * 2);
    const shingles = hashShingles(this.#reader.tokens, length, this.#settings.shingleTokens, this.#shingles);
    this.#minHash.bandKeys(this.#shingles, shingles, this.#keys);
    for (const [band, list] of this.#bandKeys.entries()) list.set(place, this.#keys[band]!);
  }

  #digest(tokens: Uint32Array, length: number): Uint32Array {
    if (this.#bytes.length < length * 5) this.#bytes = Buffer.allocUnsafe(length * 10);
    const end = writeVarints(tokens, length, this.#bytes, 0);
    const digest = hash('sha256', this.#bytes.subarray(0, end), 'buffer');
    for (let word = 0; word < digestWords; word++) this.#words[word] = digest.readUInt32LE(word * 4);
    return this.#words;
  }

  #joinRenamed(together: UnionFind, links: CloneLink[]): void {
    const jaccard = this.#comparer();
    /** By abstraction: its first place, plus one. */
    const first = new Uint32Array(this.#abstractions.size);
    for (let place = 0; place < this.#places; place++) {
      const abstraction = this.#abstractionAt.get(place);
      if (first[abstraction] === 0) {
        first[abstraction] = place + 1;
      } else {
        together.join(first[abstraction]! - 1, place);
        links.push(this.#link('renamed', first[abstraction]! - 1, place, jaccard(first[abstraction]! - 1, place)));
      }
    }
  }

  #comparer(): (first: number, second: number) => number {
    const jaccard = new ShingleJaccard(this.#settings.shingleTokens);
    return (first, second) => {
      this.#sequences.read(first, jaccard.room('first', this.#sequences.length(first)));
      this.#sequences.read(second, jaccard.room('second', this.#sequences.length(second)));
      return jaccard.compare();
    };
  }

  #link(kind: CloneLink['kind'], first: number, second: number, jaccard: number): CloneLink {
    const ref = (place: number) => this.#ref(this.#firstRow.get(this.#textAt.get(place)));
    return { first: ref(first), second: ref(second), kind, jaccard };
  }

  #ref(row: number): RowRef {
    return { set: this.#names[this.#setOf.get(row)]!, row: this.#numberOf.get(row) };
  }
}

function codeColumn(row: Row): string {
  const { code } = inferLayout(row);
  if (code !== undefined) return code;
  throw new RedefError(`no column of code among ${Object.keys(row).join(', ')}`, {
    code: 'missing-column',
    remedy: 'Name the column of code.',
  });
}

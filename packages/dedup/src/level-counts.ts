import { DigestTable, Uint32List } from './digest-table.js';

/** Rows of one set at one level (R+R, tables I to III: TS, IS Dup and SL). */
export interface SetCounts {
  rows: number;
  /** Rows whose key stood earlier in the same set; the first occurrence is not one of them. */
  inSetDuplicates: number;
  /** Distinct keys: rows less in-set duplicates. */
  unique: number;
}

/** Rows that each removal policy keeps, by set (R+R, tables VI, VIII, X and XII). */
export interface AfterPolicy {
  /** Cross-set duplicates stay in the latest set that has them (RQ2A, RQ3A). */
  cutFromTrain: Record<string, number>;
  /** Cross-set duplicates stay in the earliest set that has them (RQ2B, RQ3B). */
  cutFromTest: Record<string, number>;
}

export interface LevelAudit {
  sets: Record<string, SetCounts>;
  /** Distinct keys that stand in two sets or more (R+R: CS Dup). */
  crossSetDuplicates: number;
  /** The same for each pair of sets: `train+test`. */
  crossSetPairs: Record<string, number>;
  afterPolicy: AfterPolicy;
}

/** Counts one level as rows arrive. */
export class LevelCounter {
  readonly table = new DigestTable();
  /** For each key, the sets that have it, as a bit mask. */
  readonly masks = new Uint32List();
  readonly #names: readonly string[];
  readonly #rows: number[];
  readonly #unique: number[];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#rows = names.map(() => 0);
    this.#unique = names.map(() => 0);
  }

  /** Takes one row's key in and gives its number. */
  add(set: number, words: Uint32Array, at: number): number {
    const key = this.table.add(words, at);
    const before = this.masks.get(key);
    this.#rows[set]!++;
    if ((before & (1 << set)) === 0) {
      this.#unique[set]!++;
      this.masks.set(key, before | (1 << set));
    }
    return key;
  }

  result(): LevelAudit {
    const names = this.#names;
    const zero = () => Object.fromEntries(names.map((name) => [name, 0]));
    const pairs: Record<string, number> = {};
    for (const [index, name] of names.entries())
      for (const other of names.slice(index + 1)) pairs[`${name}+${other}`] = 0;
    const cutFromTrain = zero();
    const cutFromTest = zero();
    let crossSetDuplicates = 0;
    for (const [mask, keys] of this.#keysByMask()) {
      const members = names.filter((_name, set) => (mask & (1 << set)) !== 0);
      cutFromTest[members[0]!]! += keys;
      cutFromTrain[members.at(-1)!]! += keys;
      if (members.length > 1) crossSetDuplicates += keys;
      for (const [index, name] of members.entries())
        for (const other of members.slice(index + 1)) pairs[`${name}+${other}`]! += keys;
    }
    const sets = Object.fromEntries(
      names.map((name, set) => {
        const rows = this.#rows[set]!;
        const unique = this.#unique[set]!;
        return [name, { rows, inSetDuplicates: rows - unique, unique }];
      }),
    );
    return { sets, crossSetDuplicates, crossSetPairs: pairs, afterPolicy: { cutFromTrain, cutFromTest } };
  }

  #keysByMask(): Map<number, number> {
    const counts = new Map<number, number>();
    for (let key = 0; key < this.table.size; key++) {
      const mask = this.masks.get(key);
      counts.set(mask, (counts.get(mask) ?? 0) + 1);
    }
    return counts;
  }
}

import { hash } from 'node:crypto';
import { DigestTable, digestWords, Uint32List } from './digest-table.js';
import type { RowRef } from './rows.js';

/** Things (commits, functions) that several sets share. */
export interface GroupLeaks {
  /** How many such things stand in two sets or more. */
  shared: number;
  /** Rows that belong to one of them, by set. */
  rows: Record<string, number>;
  /** The first of them, each with its first row in each set that has it. */
  examples: { value: string; at: RowRef[] }[];
}

const maxExamples = 20;

/** Finds values of a column that several sets share. Keeps some 30 bytes a distinct value and set. */
export class GroupTracker {
  readonly #names: readonly string[];
  readonly #table = new DigestTable();
  readonly #words = new Uint32Array(digestWords);
  readonly #masks = new Uint32List();
  readonly #counts: Uint32List[];
  readonly #firstRows: Uint32List[];
  readonly #examples = new Map<number, string>();

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#counts = names.map(() => new Uint32List());
    this.#firstRows = names.map(() => new Uint32List());
  }

  /** Takes in the parts that name the row's thing; gives its number. */
  add(set: number, row: number, parts: readonly string[]): number {
    const digest = hash('sha256', JSON.stringify(parts), 'buffer');
    for (let word = 0; word < digestWords; word++) this.#words[word] = digest.readUInt32LE(word * 4);
    const thing = this.#table.add(this.#words, 0);
    const counts = this.#counts[set]!;
    if (counts.get(thing) === 0) this.#firstRows[set]!.set(thing, row);
    counts.set(thing, counts.get(thing) + 1);
    const mask = this.#masks.get(thing) | (1 << set);
    this.#masks.set(thing, mask);
    if ((mask & (mask - 1)) !== 0 && this.#examples.size < maxExamples && !this.#examples.has(thing)) {
      this.#examples.set(thing, parts.join(' '));
    }
    return thing;
  }

  get size(): number {
    return this.#table.size;
  }

  result(): GroupLeaks {
    const rows = Object.fromEntries(this.#names.map((name) => [name, 0]));
    let shared = 0;
    for (let thing = 0; thing < this.size; thing++) {
      const mask = this.#masks.get(thing);
      if ((mask & (mask - 1)) === 0) continue;
      shared++;
      for (const [set, name] of this.#names.entries()) rows[name]! += this.#counts[set]!.get(thing);
    }
    const examples = [...this.#examples].map(([thing, value]) => ({
      value,
      at: this.#names.flatMap((set, index) =>
        this.#counts[index]!.get(thing) > 0 ? [{ set, row: this.#firstRows[index]!.get(thing) }] : [],
      ),
    }));
    return { shared, rows, examples };
  }
}

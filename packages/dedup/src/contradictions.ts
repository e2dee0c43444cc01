import { Uint32List } from './digest-table.js';
import type { RowRef } from './rows.js';

/** One code that stands under several labels. */
export interface ContradictionExample {
  /** Its labels in the order they came, each with the first row that has it; at most eight. */
  labels: { label: string; at: RowRef }[];
}

/** Contradictions in one kind of label (R+R, sections 2.2 and 4.3). */
export interface LabelContradictions {
  /** `CWE tag`, or the column's name. */
  by: string;
  /** Codes with more than one label, over all sets. */
  codes: number;
  /** Rows that hold such a code. */
  rows: number;
  /** Codes with more than one label within one set, by set. */
  sets: Record<string, number>;
  /** Codes whose labels differ only from set to set. */
  acrossOnly: number;
  /** The first of them. */
  examples: ContradictionExample[];
}

const maxExamples = 20;
const maxLabels = 8;
/** Of a code whose labels differ over all sets; bits 0 to 30 are the sets within which they differ. */
const overall = 0x80000000;

/** Finds codes under several labels of one kind. Keeps a few numbers a code; label texts are kept once each. */
export class ContradictionTracker {
  readonly by: string;
  readonly #names: readonly string[];
  readonly #labels = new Map<string, number>();
  /** Label number by code, over all sets and then in each; 0 before the first label. */
  readonly #first = new Uint32List();
  readonly #firstInSet: Uint32List[];
  readonly #differs = new Uint32List();
  readonly #rows = new Uint32List();
  /** First row of a code's first label: set and row, for the examples. */
  readonly #firstSet = new Uint32List();
  readonly #firstRow = new Uint32List();
  readonly #examples = new Map<number, ContradictionExample>();

  constructor(by: string, names: readonly string[]) {
    this.by = by;
    this.#names = names;
    this.#firstInSet = names.map(() => new Uint32List());
  }

  add(code: number, label: string, set: number, row: number): void {
    let number = this.#labels.get(label);
    if (number === undefined) {
      number = this.#labels.size + 1;
      this.#labels.set(label, number);
    }
    this.#rows.set(code, this.#rows.get(code) + 1);
    const first = this.#first.get(code);
    if (first === 0) {
      this.#first.set(code, number);
      this.#firstSet.set(code, set);
      this.#firstRow.set(code, row);
    } else if (first !== number) {
      this.#differs.set(code, this.#differs.get(code) | overall);
      this.#example(code, first, label, set, row);
    }
    const inSet = this.#firstInSet[set]!;
    if (inSet.get(code) === 0) inSet.set(code, number);
    else if (inSet.get(code) !== number) this.#differs.set(code, this.#differs.get(code) | (1 << set));
  }

  differs(code: number): boolean {
    return this.#differs.get(code) !== 0;
  }

  result(codes: number): LabelContradictions {
    const sets = Object.fromEntries(this.#names.map((name) => [name, 0]));
    const result: LabelContradictions = {
      by: this.by,
      codes: 0,
      rows: 0,
      sets,
      acrossOnly: 0,
      examples: [...this.#examples.values()],
    };
    for (let code = 0; code < codes; code++) {
      const differs = this.#differs.get(code);
      if (differs === 0) continue;
      result.codes++;
      result.rows += this.#rows.get(code);
      if ((differs & ~overall) === 0) result.acrossOnly++;
      for (const [set, name] of this.#names.entries()) if ((differs & (1 << set)) !== 0) sets[name]!++;
    }
    return result;
  }

  #example(code: number, first: number, label: string, set: number, row: number): void {
    let example = this.#examples.get(code);
    if (!example) {
      if (this.#examples.size >= maxExamples) return;
      const [firstLabel] = [...this.#labels].find(([, number]) => number === first)!;
      const at = { set: this.#names[this.#firstSet.get(code)]!, row: this.#firstRow.get(code) };
      example = { labels: [{ label: firstLabel, at }] };
      this.#examples.set(code, example);
    }
    if (example.labels.length < maxLabels && !example.labels.some((known) => known.label === label)) {
      example.labels.push({ label, at: { set: this.#names[set]!, row } });
    }
  }
}

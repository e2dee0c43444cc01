import { Column } from '../history/column.js';
import { commitFlag, type History, type SingleChange } from '../history/load-history.js';

/** What the later history of the function says of a single-function change. */
export const screened = { not: 0, survives: 1, problem: 2, neverTouchedAgain: 3 } as const;

/**
 * The screen of ReDef, section 3.1: a change survives if a later commit touches its function, and none of the first few
 * that do has a problem word in its message. By commit, 9 bytes each, and 4 for each later commit of the survivors.
 */
export class Screen {
  readonly result: Uint8Array;
  /** Of a survivor, where its later commits begin in the list; where a word was found, the commit that has it. */
  readonly #at: Int32Array;
  readonly #later = new Column(new Int32Array(0));
  readonly #count: Uint32Array;

  constructor(
    private readonly history: History,
    private readonly laterCommits: number,
  ) {
    const { count } = history.table;
    this.result = new Uint8Array(count);
    this.#at = new Int32Array(count);
    this.#count = new Uint32Array(count);
  }

  async judge(change: SingleChange): Promise<void> {
    const { commit } = change;
    const { functions, table } = this.history;
    const later = await functions.later(commit, change, this.laterCommits);
    const problem = later.find((other) => (table.flags[other]! & commitFlag.problem) !== 0);
    if (problem !== undefined) {
      this.result[commit] = screened.problem;
      this.#at[commit] = problem;
    } else if (later.length === 0) this.result[commit] = screened.neverTouchedAgain;
    else {
      this.result[commit] = screened.survives;
      this.#at[commit] = this.#later.count;
      this.#count[commit] = later.length;
      for (const other of later) this.#later.push(other);
    }
  }

  /** The later commit whose message has a problem word. */
  problem(commit: number): number {
    return this.#at[commit]!;
  }

  /** The later commits of a survivor, in the order of the history. */
  later(commit: number): Int32Array {
    return this.#later.values.subarray(this.#at[commit]!, this.#at[commit]! + this.#count[commit]!);
  }
}

import { Column } from './column.js';
import type { CommitGraph } from './commit-graph.js';
import { type FunctionIdentity, keyOf } from './rows.js';

/** Where a function is at some point of the history. */
export interface FunctionPlace extends FunctionIdentity {
  path: string;
  unique: boolean;
}

export interface FunctionRename {
  commit: number;
  from: FunctionIdentity;
  to: FunctionIdentity;
}

/** Which commits touched which function of the files of one bucket, 25 bytes a touch, and which renamed them. */
export class TouchTable {
  readonly #names = new Column(new Float64Array(0));
  readonly #signatures = new Column(new Float64Array(0));
  readonly #commits = new Column(new Int32Array(0));
  readonly #unique = new Column(new Uint8Array(0));
  /** By name and then by the order of the history. */
  #order = new Uint32Array(0);
  readonly #renames = new Map<string, FunctionRename[]>();

  constructor(private readonly graph: CommitGraph) {}

  get count(): number {
    return this.#commits.count;
  }

  add(commit: number, name: number, signature: number, unique: boolean): void {
    this.#names.push(name);
    this.#signatures.push(signature);
    this.#commits.push(commit);
    this.#unique.push(unique ? 1 : 0);
  }

  addRename(path: string, rename: FunctionRename): void {
    const list = this.#renames.get(path);
    if (list) list.push(rename);
    else this.#renames.set(path, [rename]);
  }

  /** To be called once all touches are there. */
  seal(): void {
    const { position } = this.graph;
    const names = this.#names.values;
    const commits = this.#commits.values;
    this.#order = new Uint32Array(this.count).map((_, index) => index);
    this.#order.sort((a, b) => names[a]! - names[b]! || position[commits[a]!]! - position[commits[b]!]!);
    for (const renames of this.#renames.values()) renames.sort((a, b) => position[a.commit]! - position[b.commit]!);
  }

  /** In the order of the history. */
  renames(path: string): readonly FunctionRename[] {
    return this.#renames.get(path) ?? [];
  }

  /** The commits from one place of the history up to another that touch a function, in its order. */
  *touches(place: FunctionPlace, from: number, until: number): Generator<number> {
    const { position } = this.graph;
    const names = this.#names.values;
    const commits = this.#commits.values;
    const name = keyOf(place.path, place.name);
    const signature = keyOf(place.path, place.signature);
    const order = this.#order;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const touch = order[middle]!;
      const difference = names[touch]! - name || position[commits[touch]!]! - from;
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < order.length; i++) {
      const touch = order[i]!;
      const commit = commits[touch]!;
      if (names[touch] !== name || position[commit]! >= until) return;
      // where several functions share the name, only the one with this signature is meant
      const own = this.#signatures.values[touch] === signature || (place.unique && this.#unique.values[touch] === 1);
      if (own) yield commit;
    }
  }
}

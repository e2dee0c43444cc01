import type { CommitGraph } from './commit-graph.js';
import { type FunctionIdentity, keyOf, type RenameRow } from './rows.js';

/** Where a function is at some point of the history. */
export interface FunctionPlace extends FunctionIdentity {
  path: string;
  unique: boolean;
}

interface FunctionRename {
  commit: number;
  from: FunctionIdentity;
  to: FunctionIdentity;
}

/** A history has no function of so many names: a guard against renames that run in a circle. */
const maxRenames = 64;

/** Which commits touched which function: the forward index of a history, 21 bytes a touch. */
export class TouchTable {
  #count = 0;
  #names = new Float64Array(1024);
  #signatures = new Float64Array(1024);
  #commits = new Int32Array(1024);
  #unique = new Uint8Array(1024);
  #order = new Uint32Array(0);
  readonly #functionRenames = new Map<string, FunctionRename[]>();
  readonly #fileRenames = new Map<string, RenameRow[]>();

  constructor(private readonly graph: CommitGraph) {}

  get count(): number {
    return this.#count;
  }

  add(commit: number, name: number, signature: number, unique: boolean): void {
    if (this.#count === this.#commits.length) this.#grow();
    this.#names[this.#count] = name;
    this.#signatures[this.#count] = signature;
    this.#commits[this.#count] = commit;
    this.#unique[this.#count] = unique ? 1 : 0;
    this.#count++;
  }

  #grow(): void {
    const size = Math.ceil(this.#commits.length * 1.5);
    const copy = <T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#names = copy(this.#names, new Float64Array(size));
    this.#signatures = copy(this.#signatures, new Float64Array(size));
    this.#commits = copy(this.#commits, new Int32Array(size));
    this.#unique = copy(this.#unique, new Uint8Array(size));
  }

  addFunctionRename(commit: number, path: string, from: FunctionIdentity, to: FunctionIdentity): void {
    push(this.#functionRenames, path, { commit, from, to });
  }

  addFileRename(rename: RenameRow): void {
    push(this.#fileRenames, rename.from, rename);
  }

  /** To be called once all touches are there. */
  seal(): void {
    const { position } = this.graph;
    const names = this.#names;
    const commits = this.#commits;
    this.#order = new Uint32Array(this.#count).map((_, index) => index);
    this.#order.sort((a, b) => names[a]! - names[b]! || position[commits[a]!]! - position[commits[b]!]!);
    const byPosition = (a: { commit: number }, b: { commit: number }): number =>
      position[a.commit]! - position[b.commit]!;
    for (const renames of this.#functionRenames.values()) renames.sort(byPosition);
    for (const renames of this.#fileRenames.values()) renames.sort(byPosition);
  }

  /**
   * The first commits after `commit`, by topology, that touch the function that is at `place` there; followed through
   * renames of the function and of its file. Merges are not looked into.
   */
  later(commit: number, place: FunctionPlace, limit: number): number[] {
    const { graph } = this;
    const found: number[] = [];
    let here = place;
    let touchesFrom = graph.position[commit]! + 1;
    let renamesFrom = touchesFrom;
    for (let renames = 0; renames < maxRenames; renames++) {
      const rename = this.#nextRename(commit, here, renamesFrom);
      const until = rename ? graph.position[rename.commit]! : Number.POSITIVE_INFINITY;
      for (const touch of this.#touches(here, touchesFrom, until)) {
        if (found[found.length - 1] === touch || !graph.isAncestor(commit, touch)) continue;
        found.push(touch);
        if (found.length === limit) return found;
      }
      if (!rename) break;
      here = rename.to;
      renamesFrom = until + 1;
      touchesFrom = rename.moved ? until + 1 : until; // the commit that renames a function touches it under its new name
    }
    return found;
  }

  /** Where a function of a commit is by the time of a later one. */
  placeAt(commit: number, place: FunctionPlace, later: number): FunctionPlace {
    const { position } = this.graph;
    let here = place;
    let from = position[commit]! + 1;
    for (let renames = 0; renames < maxRenames; renames++) {
      const rename = this.#nextRename(commit, here, from);
      if (!rename || position[rename.commit]! >= position[later]!) return here;
      here = rename.to;
      from = position[rename.commit]! + 1;
    }
    return here;
  }

  #nextRename(
    commit: number,
    place: FunctionPlace,
    from: number,
  ): { commit: number; to: FunctionPlace; moved: boolean } | undefined {
    const { position } = this.graph;
    const next = <T extends { commit: number }>(
      renames: readonly T[] | undefined,
      wanted: (rename: T) => boolean,
    ): T | undefined =>
      renames?.find(
        (rename) => position[rename.commit]! >= from && wanted(rename) && this.graph.isAncestor(commit, rename.commit),
      );
    const file = next(this.#fileRenames.get(place.path), () => true);
    const name = next(
      this.#functionRenames.get(place.path),
      (rename) =>
        rename.from.name === place.name &&
        (place.unique ? rename.to.name !== place.name : rename.from.signature === place.signature),
    );
    if (name && (!file || position[name.commit]! <= position[file.commit]!)) {
      const to = { ...place, name: name.to.name, signature: name.to.signature };
      return { commit: name.commit, to, moved: false };
    }
    return file ? { commit: file.commit, to: { ...place, path: file.to }, moved: true } : undefined;
  }

  *#touches(place: FunctionPlace, from: number, until: number): Generator<number> {
    const { position } = this.graph;
    const name = keyOf(place.path, place.name);
    const signature = keyOf(place.path, place.signature);
    const order = this.#order;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const touch = order[middle]!;
      const difference = this.#names[touch]! - name || position[this.#commits[touch]!]! - from;
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < order.length; i++) {
      const touch = order[i]!;
      const commit = this.#commits[touch]!;
      if (this.#names[touch] !== name || position[commit]! >= until) return;
      // where several functions share the name, only the one with this signature is meant
      const own = this.#signatures[touch] === signature || (place.unique && this.#unique[touch] === 1);
      if (own) yield commit;
    }
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

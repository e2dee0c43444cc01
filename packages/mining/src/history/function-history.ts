import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CommitGraph } from './commit-graph.js';
import { bucketCount, bucketOf, renamesFile, touchesFile } from './log-pass.js';
import { readRows } from './read-rows.js';
import type { RenameRow, TouchRow } from './rows.js';
import { type FunctionPlace, TouchTable } from './touch-table.js';

/** A history has no function of so many names: a guard against renames that run in a circle. */
const maxRenames = 64;
/** Touches that are held, 25 bytes each; the buckets used longest ago are let go and read again when asked for. */
const defaultMaxTouches = 2_000_000;

/** A row of a bucket with its place: the number of its file, its offset and its length in bytes. */
export interface PlacedTouchRow {
  row: TouchRow;
  file: number;
  offset: number;
  length: number;
}

/** What became of functions: which commits touched them, by whatever name they and their file had by then. */
export class FunctionHistory {
  /** Held buckets, the one used last at the end. */
  readonly #tables = new Map<number, TouchTable>();
  readonly #fileRenames = new Map<string, RenameRow[]>();
  readonly #present = new Set<string>();

  private constructor(
    private readonly folder: string,
    private readonly segments: number,
    private readonly graph: CommitGraph,
    private readonly maxTouches: number,
    private readonly signal: AbortSignal | undefined,
  ) {}

  static async open(
    folder: string,
    segments: number,
    graph: CommitGraph,
    { maxTouches = defaultMaxTouches, signal }: { maxTouches?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<FunctionHistory> {
    const history = new FunctionHistory(folder, segments, graph, maxTouches, signal);
    for (const name of await readdir(folder)) history.#present.add(name);
    for (let segment = 0; segment < segments; segment++) {
      for await (const { value } of history.#rows<RenameRow>(renamesFile(folder, segment))) {
        const list = history.#fileRenames.get(value.from);
        if (list) list.push(value);
        else history.#fileRenames.set(value.from, [value]);
      }
    }
    for (const renames of history.#fileRenames.values())
      renames.sort((a, b) => graph.position[a.commit]! - graph.position[b.commit]!);
    return history;
  }

  /** A bucket without files has left none. */
  async *#rows<Row>(path: string): AsyncGenerator<{ value: Row; bytes: number }, void, undefined> {
    if (this.#present.has(basename(path))) yield* readRows<Row>(path, Number.POSITIVE_INFINITY, this.signal);
  }

  /** The rows of a bucket, which is held once they are all read. */
  async *readBucket(bucket: number): AsyncGenerator<PlacedTouchRow, void, undefined> {
    const table = new TouchTable(this.graph);
    for (let segment = 0; segment < this.segments; segment++) {
      let offset = 0;
      for await (const { value, bytes } of this.#rows<TouchRow>(touchesFile(this.folder, segment, bucket))) {
        const { commit, path, touched, renamed = [] } = value;
        for (const [name, signature, unique] of touched) table.add(commit, name, signature, unique === 1);
        for (const { from, to } of renamed) table.addRename(path, { commit, from, to });
        yield { row: value, file: segment * bucketCount + bucket, offset, length: bytes };
        offset += bytes;
      }
    }
    table.seal();
    this.#tables.delete(bucket);
    this.#tables.set(bucket, table);
    let held = 0;
    for (const { count } of this.#tables.values()) held += count;
    for (const [oldest, { count }] of this.#tables) {
      if (held <= this.maxTouches || oldest === bucket) break;
      this.#tables.delete(oldest);
      held -= count;
    }
  }

  async #table(path: string): Promise<TouchTable> {
    const bucket = bucketOf(path);
    let table = this.#tables.get(bucket);
    if (table) {
      this.#tables.delete(bucket);
      this.#tables.set(bucket, table);
      return table;
    }
    for await (const _ of this.readBucket(bucket));
    table = this.#tables.get(bucket)!;
    return table;
  }

  /** How many touches a bucket has that is held. */
  touchCount(bucket: number): number {
    return this.#tables.get(bucket)?.count ?? 0;
  }

  /**
   * The first commits after `commit`, by topology, that touch the function that is at `place` there; followed through
   * renames of the function and of its file. Merges are not looked into.
   */
  async later(commit: number, place: FunctionPlace, limit: number): Promise<number[]> {
    const { graph } = this;
    const found: number[] = [];
    let here = place;
    let touchesFrom = graph.position[commit]! + 1;
    let renamesFrom = touchesFrom;
    for (let renames = 0; renames < maxRenames; renames++) {
      const table = await this.#table(here.path);
      const rename = this.#nextRename(table, commit, here, renamesFrom);
      const until = rename ? graph.position[rename.commit]! : Number.POSITIVE_INFINITY;
      for (const touch of table.touches(here, touchesFrom, until)) {
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
  async placeAt(commit: number, place: FunctionPlace, later: number): Promise<FunctionPlace> {
    const { position } = this.graph;
    let here = place;
    let from = position[commit]! + 1;
    for (let renames = 0; renames < maxRenames; renames++) {
      const rename = this.#nextRename(await this.#table(here.path), commit, here, from);
      if (!rename || position[rename.commit]! >= position[later]!) return here;
      here = rename.to;
      from = position[rename.commit]! + 1;
    }
    return here;
  }

  #nextRename(
    table: TouchTable,
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
      table.renames(place.path),
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
}

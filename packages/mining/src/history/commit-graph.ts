import type { CommitTable } from './commit-table.js';

/** Reachability and order of a history. "Later" is a matter of the graph here: committer dates run backwards in real histories. */
export class CommitGraph {
  /** Commit numbers, parents before children; among those that are free to come next the earlier committer date, then the smaller id. */
  readonly order: Int32Array;
  /** Place of each commit in {@link order}. */
  readonly position: Int32Array;
  readonly #seen: Uint32Array;
  #stamp = 0;
  /** 1 for the commits of the main line: the last of the history, its first parent, the first parent of that, and so on. */
  readonly #onMain: Uint8Array;
  /** The place of the first commit of the main line that is this one or descends from it: all after that do as well. */
  readonly #mainFrom: Int32Array;

  constructor(private readonly table: CommitTable) {
    this.order = canonicalOrder(table);
    this.position = new Int32Array(table.count);
    for (let i = 0; i < this.order.length; i++) this.position[this.order[i]!] = i;
    this.#seen = new Uint32Array(table.count);
    this.#onMain = new Uint8Array(table.count);
    for (let commit = this.order.at(-1) ?? -1; commit >= 0; commit = table.firstParent[commit]!)
      this.#onMain[commit] = 1;
    this.#mainFrom = new Int32Array(table.count).fill(table.count);
    for (const commit of this.order) if (this.#onMain[commit] === 1) this.#reachedFrom(commit);
  }

  #reachedFrom(main: number): void {
    const { table } = this;
    const place = this.position[main]!;
    this.#mainFrom[main] = place;
    const stack = [main];
    while (stack.length > 0) {
      const commit = stack.pop()!;
      for (let i = table.parentCount[commit]! - 1; i >= 0; i--) {
        const parent = table.parent(commit, i);
        if (parent < 0 || this.#mainFrom[parent]! <= place) continue;
        this.#mainFrom[parent] = place;
        stack.push(parent);
      }
    }
  }

  /** Whether `later` is a descendant of `earlier`, and not the same commit. Only what lies beside the main line is walked. */
  isAncestor(earlier: number, later: number): boolean {
    const { table, position } = this;
    const wanted = position[earlier]!;
    if (wanted >= position[later]!) return false;
    const from = this.#mainFrom[earlier]!;
    const seen = this.#seen;
    const stamp = ++this.#stamp;
    const stack = [later];
    while (stack.length > 0) {
      const commit = stack.pop()!;
      if (commit === earlier) return true;
      if (this.#onMain[commit] === 1) {
        if (from <= position[commit]!) return true;
        continue;
      }
      for (let place = table.parentCount[commit]! - 1; place >= 0; place--) {
        const parent = table.parent(commit, place);
        if (parent >= 0 && seen[parent] !== stamp && position[parent]! >= wanted) {
          seen[parent] = stamp;
          stack.push(parent);
        }
      }
    }
    return false;
  }

  /** Marks a commit and all that it reaches. */
  reachable(from: number): Uint8Array {
    const marked = new Uint8Array(this.table.count);
    marked[from] = 1;
    const stack = [from];
    while (stack.length > 0) {
      for (const parent of this.table.parents(stack.pop()!)) {
        if (parent < 0 || marked[parent] === 1) continue;
        marked[parent] = 1;
        stack.push(parent);
      }
    }
    return marked;
  }
}

/** Kahn's algorithm with a heap. It depends on the graph alone, not on the order in which commits were read. */
function canonicalOrder(table: CommitTable): Int32Array {
  const { count } = table;
  const childStart = new Int32Array(count + 1);
  const waiting = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    for (const parent of table.parents(i)) {
      if (parent < 0) continue;
      childStart[parent + 1]!++;
      waiting[i]!++;
    }
  }
  for (let i = 0; i < count; i++) childStart[i + 1]! += childStart[i]!;
  const children = new Int32Array(childStart[count]!);
  const filled = childStart.slice();
  for (let i = 0; i < count; i++)
    for (const parent of table.parents(i)) if (parent >= 0) children[filled[parent]!++] = i;

  const before = (a: number, b: number): boolean =>
    (table.seconds[a]! - table.seconds[b]! || table.compareIds(a, b)) < 0;
  const heap: number[] = [];
  for (let i = 0; i < count; i++) if (waiting[i] === 0) push(heap, i, before);
  const order = new Int32Array(count);
  for (let placed = 0; placed < count; placed++) {
    const next = pop(heap, before);
    order[placed] = next;
    for (let i = childStart[next]!; i < childStart[next + 1]!; i++) {
      const child = children[i]!;
      if (--waiting[child]! === 0) push(heap, child, before);
    }
  }
  return order;
}

function push(heap: number[], value: number, before: (a: number, b: number) => boolean): void {
  let i = heap.length;
  heap.push(value);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!before(value, heap[parent]!)) break;
    heap[i] = heap[parent]!;
    i = parent;
  }
  heap[i] = value;
}

function pop(heap: number[], before: (a: number, b: number) => boolean): number {
  const top = heap[0]!;
  const last = heap.pop()!;
  if (heap.length > 0) {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
  }
  return top;
}

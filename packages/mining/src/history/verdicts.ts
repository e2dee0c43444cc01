/** What was found of a commit's only accepted file. */
export const verdictKind = {
  /** The commit has none, or others beside it. */
  none: 0,
  /** It changes one function alone. */
  single: 1,
  /** It was read and does not; the row of its bucket says why. */
  rejected: 2,
  /** It was not read, since it is not the modification of a regular file; the row of the commit says why. */
  notModified: 3,
} as const;

/** The verdicts by commit, 29 bytes each; what is longer is in the row of a bucket, whose place is kept. */
export class Verdicts {
  readonly kind: Uint8Array;
  /** Of the row: the number of its file (`segment * bucketCount + bucket`), its offset and its length. */
  readonly file: Uint32Array;
  readonly offset: Float64Array;
  readonly length: Uint32Array;
  /** Of a single-function change: a key of its two texts, equal where they are. */
  readonly texts: Float64Array;
  readonly #path: Uint32Array;
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();

  constructor(commits: number) {
    this.kind = new Uint8Array(commits);
    this.file = new Uint32Array(commits);
    this.offset = new Float64Array(commits);
    this.length = new Uint32Array(commits);
    this.texts = new Float64Array(commits);
    this.#path = new Uint32Array(commits);
  }

  set(commit: number, kind: number, path: string): void {
    let number = this.#pathNumbers.get(path);
    if (number === undefined) {
      number = this.#paths.push(path) - 1;
      this.#pathNumbers.set(path, number);
    }
    this.kind[commit] = kind;
    this.#path[commit] = number;
  }

  path(commit: number): string {
    return this.#paths[this.#path[commit]!]!;
  }

  isSingle(commit: number): boolean {
    return this.kind[commit] === verdictKind.single;
  }
}

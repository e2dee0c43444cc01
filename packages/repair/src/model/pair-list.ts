import { createHash } from 'node:crypto';
import type { SequencePair } from './sequence-pair.js';

/** Pairs that are read by their place: an array, or a {@link PairList}. */
export type SequencePairs = Pick<readonly SequencePair[], 'length' | 'at'>;

const blockSize = 2 ** 20; // ids
const sourceWasCut = 1;
const targetWasCut = 2;

/**
 * Many pairs in little memory: ids one after the other, in 2 bytes each where the vocabulary allows. Each reading makes the
 * pair anew.
 */
export class PairList {
  readonly #ids: string[] = [];
  /** Of each pair: block, start, length of the source, of the target, and what was cut. */
  #places = new Int32Array(0);
  readonly #blocks: (Uint16Array | Int32Array)[] = [];
  /** Of the last block. */
  #used = 0;

  /** @param vocabularySize ids are below it */
  constructor(private readonly vocabularySize: number) {}

  get length(): number {
    return this.#ids.length;
  }

  push({ id, sourceIds, targetIds, sourceCut, targetCut }: SequencePair): void {
    const count = sourceIds.length + targetIds.length;
    if (this.#blocks.length === 0 || this.#used + count > blockSize) {
      const size = Math.max(blockSize, count);
      this.#blocks.push(this.vocabularySize <= 2 ** 16 ? new Uint16Array(size) : new Int32Array(size));
      this.#used = 0;
    }
    const block = this.#blocks.at(-1)!;
    block.set(sourceIds, this.#used);
    block.set(targetIds, this.#used + sourceIds.length);
    const at = this.length * 5;
    if (at === this.#places.length) {
      const grown = new Int32Array(Math.max(1000, 2 * at));
      grown.set(this.#places);
      this.#places = grown;
    }
    const cut = (sourceCut ? sourceWasCut : 0) + (targetCut ? targetWasCut : 0);
    this.#places.set([this.#blocks.length - 1, this.#used, sourceIds.length, targetIds.length, cut], at);
    this.#ids.push(id);
    this.#used += count;
  }

  /** `undefined` past the end. */
  at(index: number): SequencePair | undefined {
    const id = this.#ids[index];
    if (id === undefined) return undefined;
    const [block, start, source, target, cut] = this.#places.subarray(index * 5, index * 5 + 5);
    const ids = this.#blocks[block!]!;
    const middle = start! + source!;
    return {
      id,
      sourceIds: Int32Array.from(ids.subarray(start, middle)),
      targetIds: Int32Array.from(ids.subarray(middle, middle + target!)),
      sourceCut: (cut! & sourceWasCut) > 0,
      targetCut: (cut! & targetWasCut) > 0,
    };
  }
}

export function* pairsOf(pairs: SequencePairs): Generator<SequencePair, void, undefined> {
  for (let index = 0; index < pairs.length; index++) yield pairs.at(index)!;
}

/** A digest of all pairs, made one by one: as one text a corpus would be longer than a string may be. */
export function digestOfPairs(pairs: SequencePairs): string {
  const hash = createHash('sha256');
  for (const { id, sourceIds, targetIds } of pairsOf(pairs)) {
    hash.update(JSON.stringify([id, sourceIds.length, targetIds.length]));
    for (const ids of [sourceIds, targetIds]) hash.update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  }
  return hash.digest('hex');
}

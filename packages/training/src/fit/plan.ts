import type { Rng } from '@redef/core';

export interface PlanOptions {
  /** Rows of a batch. */
  batchSize: number;
  /** Batches that make one step. */
  accumulation: number;
  /** Steps that are made in one run: their batches are neighbours in length. */
  stepsPerRun: number;
  rng: Rng;
}

/** Batches of one window, at least: long enough to find neighbours of equal length, short enough to keep the order random. */
const windowBatches = 64;

/** Indices of items: the steps of an epoch, each of one or more batches. */
export type EpochPlan = readonly (readonly (readonly number[])[])[];

/**
 * The order of one epoch. Items are shuffled, sorted by length inside windows so that a batch pads little, cut into
 * batches, and the batches are shuffled again: every epoch holds every item once, whatever its length. The batches of a run
 * of several steps stay together in that, and a short last run stays last.
 *
 * @param lengths of each item; the first axis decides, the others break ties
 */
export function planEpoch(
  lengths: readonly (readonly number[])[],
  { batchSize, accumulation, stepsPerRun, rng }: PlanOptions,
): EpochPlan {
  const order = rng.fork('items').shuffle(lengths.map((_, index) => index));
  const batches: number[][] = [];
  const together = stepsPerRun === 1 ? 1 : stepsPerRun * accumulation;
  const windowSize = Math.ceil(windowBatches / together) * together * batchSize;
  for (let start = 0; start < order.length; start += windowSize) {
    const window = order.slice(start, start + windowSize).sort((a, b) => compareLengths(lengths[a]!, lengths[b]!));
    for (let from = 0; from < window.length; from += batchSize) batches.push(window.slice(from, from + batchSize));
  }
  const wholeRuns = Array.from({ length: Math.floor(batches.length / together) }, (_, run) =>
    batches.slice(run * together, (run + 1) * together),
  );
  const rest = batches.slice(wholeRuns.length * together);
  const shuffled = [...rng.fork('batches').shuffle(wholeRuns).flat(), ...rest];
  return Array.from({ length: stepsPerEpoch(lengths.length, { batchSize, accumulation }) }, (_, step) =>
    shuffled.slice(step * accumulation, (step + 1) * accumulation),
  );
}

export function stepsPerEpoch(
  items: number,
  { batchSize, accumulation }: Pick<PlanOptions, 'batchSize' | 'accumulation'>,
): number {
  return Math.ceil(Math.ceil(items / batchSize) / accumulation);
}

function compareLengths(a: readonly number[], b: readonly number[]): number {
  const axis = a.findIndex((length, index) => length !== b[index]);
  return axis < 0 ? 0 : a[axis]! - b[axis]!;
}

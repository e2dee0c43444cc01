import type { Feeds, Tensor, Variables } from '@redef/autodiff';

/** The shape of a padded batch: its rows, and the lengths to which they are padded. */
export interface BatchShape {
  rows: number;
  /** One for each axis of {@link Task.lengths}. */
  lengths: readonly number[];
}

/**
 * What a fit loop trains. The loop knows batches, steps and weights; only the task knows what an item is and what the
 * network computes.
 */
export interface Task<Item> {
  /** Named in errors. */
  idOf(item: Item): string;
  /** Sizes along the axes that are padded: `[tokens]`, or `[source tokens, target tokens]`. */
  lengths(item: Item): readonly number[];
  /** Lengths to which a batch is padded whose longest items have these. Keep them few: each shape takes a graph of its own. */
  pad(longest: readonly number[]): readonly number[];
  /** What the item adds to the denominator of the mean loss: a class weight, a number of target tokens. */
  weight(item: Item): number;
  /**
   * Writes the network for batches of a shape, with dropout, and its loss: the mean over the items of the batch by their
   * weights, as `crossEntropy` gives it. The inputs `fit.share` and `fit.keep` and those of AdamW are the loop's.
   */
  build(shape: BatchShape): { loss: Tensor; parameters: readonly Tensor[] };
  /** The inputs of {@link Task.build}. There may be fewer items than rows: what fills the rest must not count in the loss. */
  feeds(items: readonly Item[], shape: BatchShape): Feeds;
}

/** How an epoch is judged. */
export interface Validation {
  /** The metric's name: `f1`, `perfect-prediction`. */
  metric: string;
  higherIsBetter: boolean;
  /** The metric of the weights as they are now; `null` where the data does not define it. It must not change them. */
  measure(variables: Variables, options: { signal?: AbortSignal }): Promise<number | null>;
}

import { createRng, RedefError, requireOption } from '@redef/core';
import { requireCount, requireObject } from './checks.js';
import { mix32 } from './token-interner.js';

/** A locality-sensitive hash of sets: `bands` keys, each over `rowsPerBand` minima. */
export interface BandPlan {
  bands: number;
  rowsPerBand: number;
}

const maxMinima = 128;

/**
 * The chance that two sets of that Jaccard index share at least one band key: `1 - (1 - j^r)^b` (Leskovec, Rajaraman and
 * Ullman, Mining of Massive Datasets, section 3.4.2).
 *
 * @throws `RedefError` `invalid-option`
 */
export function expectedRecall(jaccard: number, plan: BandPlan): number {
  requireObject('plan', plan);
  const { bands, rowsPerBand } = plan;
  requireOption(
    'jaccard',
    jaccard,
    typeof jaccard === 'number' && jaccard >= 0 && jaccard <= 1,
    'a number from 0 to 1',
  );
  requireCount('bands', bands);
  requireCount('rowsPerBand', rowsPerBand);
  return 1 - (1 - jaccard ** rowsPerBand) ** bands;
}

/** The plan of at most 128 minima with the longest bands, hence the fewest false candidates, that reaches the recall at the threshold. */
export function planBands(threshold: number, recall: number): BandPlan {
  const isShare = (value: unknown) => typeof value === 'number' && value > 0 && value <= 1;
  requireOption('threshold', threshold, isShare(threshold), 'above 0 and at most 1');
  requireOption('recall', recall, isShare(recall) && recall < 1, 'between 0 and 1');
  for (let rowsPerBand = 16; rowsPerBand >= 1; rowsPerBand--) {
    const chance = threshold ** rowsPerBand;
    const bands = chance >= 1 ? 1 : Math.ceil(Math.log1p(-recall) / Math.log1p(-chance));
    if (bands * rowsPerBand <= maxMinima) return { bands, rowsPerBand };
  }
  throw new RedefError(
    `no plan of ${maxMinima} minima reaches a recall of ${recall} at a Jaccard index of ${threshold}`,
    {
      code: 'invalid-option',
      remedy: 'Raise the threshold or lower the recall.',
    },
  );
}

/** MinHash (Broder 1997) over 32-bit element hashes, with affine permutations modulo 2^32 drawn from a seed. */
export class MinHash {
  readonly #plan: BandPlan;
  readonly #factors: Int32Array;
  readonly #offsets: Int32Array;

  constructor(plan: BandPlan, seed: number | string) {
    const rng = createRng(seed);
    const minima = plan.bands * plan.rowsPerBand;
    this.#plan = plan;
    this.#factors = Int32Array.from({ length: minima }, () => rng.integer(2 ** 32) | 1);
    this.#offsets = Int32Array.from({ length: minima }, () => rng.integer(2 ** 32));
  }

  /** Writes the band keys of the set `elements[0..count)`, which may repeat elements. */
  bandKeys(elements: Int32Array, count: number, into: Uint32Array): void {
    const { bands, rowsPerBand } = this.#plan;
    for (let band = 0; band < bands; band++) {
      let key = band;
      for (let row = 0; row < rowsPerBand; row++) {
        const factor = this.#factors[band * rowsPerBand + row]!;
        const offset = this.#offsets[band * rowsPerBand + row]!;
        let least = 0x7fffffff;
        for (let element = 0; element < count; element++) {
          const value = (Math.imul(elements[element]!, factor) + offset) | 0;
          if (value < least) least = value;
        }
        key = mix32(Math.imul(key, 31) + least);
      }
      into[band] = key;
    }
  }
}

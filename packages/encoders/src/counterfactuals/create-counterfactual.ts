import { createRng, RedefError } from '@redef/core';
import { createEncoding, type EncodingName, type EncodingOptions } from '../encodings/create-encoding.js';
import { applyPerturbation, type Counterfactual, type Perturbation } from './counterfactual.js';
import { reversedTags } from './reversed-tags.js';
import { spuriousMarkers } from './spurious-markers.js';
import { swappedBlocks, swappedSnapshots } from './swapped-sections.js';

/** Perturbations of one encoding's layout, with that encoding. */
const ofLayouts = {
  'spurious-markers': { perturbation: spuriousMarkers, encoding: 'after-markers' },
  'swapped-snapshots': { perturbation: swappedSnapshots, encoding: 'before-after' },
  'reversed-tags': { perturbation: reversedTags, encoding: 'diff-tags' },
  'swapped-blocks': { perturbation: swappedBlocks, encoding: 'added-deleted' },
} as const satisfies Record<string, { perturbation: Perturbation; encoding: EncodingName }>;

export type CounterfactualName = keyof typeof ofLayouts;

/** The four counterfactuals of ReDef, section 3.2, in its order. */
export const paperCounterfactuals = Object.keys(ofLayouts) as readonly CounterfactualName[];

/** Every counterfactual's name, the paper's four first. */
export const counterfactualNames = Object.keys(ofLayouts) as readonly CounterfactualName[];

export interface CounterfactualOptions extends EncodingOptions {
  seed: number | string;
}

/**
 * A counterfactual by its name.
 *
 * @throws `RedefError` `unknown-counterfactual`, or `invalid-option`
 */
export function createCounterfactual(
  name: CounterfactualName,
  { seed, ...options }: CounterfactualOptions,
): Counterfactual {
  if (!Object.hasOwn(ofLayouts, name)) {
    throw new RedefError(`There is no counterfactual ${JSON.stringify(name)}`, {
      code: 'unknown-counterfactual',
      remedy: `Choose one of ${counterfactualNames.join(', ')}.`,
    });
  }
  const { perturbation, encoding } = ofLayouts[name];
  return applyPerturbation(perturbation, createEncoding(encoding, options), createRng(seed));
}

import type { Rng } from '@redef/core';
import type { Layout } from '../layout.js';
import type { Perturbation } from './counterfactual.js';

/**
 * The two functions of before + after change places under the headers with probability 0.5 (ReDef, section 3.2,
 * counterfactual 2; test only). The same seed applied twice is the identity.
 */
export const swappedSnapshots: Perturbation = {
  name: 'swapped-snapshots',
  effect: 'meaning',
  appliesTo: { train: false, test: true },
  perturbLayout: swapHalfTheTime,
};

/**
 * The two blocks of added, deleted change places under the headers with probability 0.5 (ReDef, section 3.2,
 * counterfactual 4; train and test). The same seed applied twice is the identity.
 */
export const swappedBlocks: Perturbation = {
  name: 'swapped-blocks',
  effect: 'meaning',
  appliesTo: { train: true, test: true },
  perturbLayout: swapHalfTheTime,
};

function swapHalfTheTime(layout: Layout, rng: Rng): Layout {
  const [first, second] = layout.sections;
  if (rng.next() >= 0.5 || !first || !second) return layout;
  return {
    ...layout,
    sections: [
      { ...first, lines: second.lines },
      { ...second, lines: first.lines },
    ],
  };
}

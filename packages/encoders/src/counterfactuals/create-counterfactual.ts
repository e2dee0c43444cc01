import { createRng, RedefError } from '@redef/core';
import { createEncoding, type EncodingName, type EncodingOptions } from '../encodings/create-encoding.js';
import type { Encoding } from '../encodings/encoding.js';
import type { ChangeText } from '../layout.js';
import { droppedLine, shuffledLines } from './changed-lines.js';
import { applyPerturbation, type Counterfactual, type Perturbation } from './counterfactual.js';
import { inverseChange, nullEdit } from './exchanged-functions.js';
import { graftedEdit } from './grafted-edit.js';
import { renamedIdentifiers } from './renamed-identifiers.js';
import { reversedTags } from './reversed-tags.js';
import { spuriousMarkers } from './spurious-markers.js';
import { swappedBlocks, swappedSnapshots } from './swapped-sections.js';
import { reformatted, whitespaceEdit } from './white-space.js';

/** The paper's: each perturbs how one encoding lays a change out. */
export const layoutPerturbations = {
  'spurious-markers': { perturbation: spuriousMarkers, encoding: 'after-markers' },
  'swapped-snapshots': { perturbation: swappedSnapshots, encoding: 'before-after' },
  'reversed-tags': { perturbation: reversedTags, encoding: 'diff-tags' },
  'swapped-blocks': { perturbation: swappedBlocks, encoding: 'added-deleted' },
} as const satisfies Record<string, { perturbation: Perturbation; encoding: EncodingName }>;

/** Those that perturb the change itself, for any encoding. */
const changePerturbations = {
  'null-edit': () => nullEdit,
  'grafted-edit': graftedEdit,
  'renamed-identifiers': () => renamedIdentifiers,
  'shuffled-lines': () => shuffledLines,
  'whitespace-edit': () => whitespaceEdit,
  reformatted: () => reformatted,
  'inverse-change': () => inverseChange,
  'dropped-line': () => droppedLine,
} as const satisfies Record<string, (donors: readonly ChangeText[]) => Perturbation>;

type LayoutCounterfactualName = keyof typeof layoutPerturbations;
type ChangeCounterfactualName = keyof typeof changePerturbations;
export type CounterfactualName = LayoutCounterfactualName | ChangeCounterfactualName;

/** The four counterfactuals of ReDef, section 3.2, in its order. */
export const paperCounterfactuals = Object.keys(layoutPerturbations) as readonly LayoutCounterfactualName[];

/** Every counterfactual's name, the paper's four first. */
export const counterfactualNames = [
  ...paperCounterfactuals,
  ...Object.keys(changePerturbations),
] as readonly CounterfactualName[];

export interface CounterfactualOptions extends EncodingOptions {
  seed: number | string;
  /** Shows the perturbed change; default `diff-tags`. The paper's four have an encoding each and take no other. */
  encoding?: EncodingName | Encoding;
  /** Records whose edits `grafted-edit` draws from. */
  donors?: readonly ChangeText[];
}

/**
 * A counterfactual by its name.
 *
 * @throws `RedefError` `unknown-counterfactual`, or `invalid-option` for an encoding that does not go with it or missing donors
 */
export function createCounterfactual(
  name: CounterfactualName,
  { seed, encoding, donors = [], ...options }: CounterfactualOptions,
): Counterfactual {
  const rng = createRng(seed);
  if (isLayoutCounterfactual(name)) {
    const { perturbation, encoding: own } = layoutPerturbations[name];
    const given = typeof encoding === 'object' ? encoding.name : encoding;
    if (given !== undefined && given !== own) {
      throw new RedefError(`${name} perturbs the encoding ${own}, not ${given}`, {
        code: 'invalid-option',
        remedy: 'Leave the encoding out.',
      });
    }
    return applyPerturbation(perturbation, typeof encoding === 'object' ? encoding : createEncoding(own, options), rng);
  }
  if (!Object.hasOwn(changePerturbations, name)) {
    throw new RedefError(`There is no counterfactual ${JSON.stringify(name)}`, {
      code: 'unknown-counterfactual',
      remedy: `Choose one of ${counterfactualNames.join(', ')}.`,
    });
  }
  const shown = typeof encoding === 'object' ? encoding : createEncoding(encoding ?? 'diff-tags', options);
  return applyPerturbation(changePerturbations[name](donors), shown, rng);
}

function isLayoutCounterfactual(name: CounterfactualName): name is LayoutCounterfactualName {
  return Object.hasOwn(layoutPerturbations, name);
}

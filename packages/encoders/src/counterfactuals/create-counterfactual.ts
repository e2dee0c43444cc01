import { createRng, RedefError } from '@redef/core';
import {
  checkEncodingName,
  createEncoding,
  type EncodingName,
  type EncodingOptions,
} from '../encodings/create-encoding.js';
import type { Encoding } from '../encodings/encoding.js';
import type { ChangeText } from '../layout.js';
import { droppedLine, shuffledLines } from './changed-lines.js';
import { applyPerturbation, type Counterfactual, type Perturbation } from './counterfactual.js';
import { inverseChange, nullEdit } from './exchanged-functions.js';
import { checkDonors, graftedEdit } from './grafted-edit.js';
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
 * @throws `RedefError` `unknown-counterfactual`, `unknown-encoding`, or `invalid-option` for an encoding that does not go
 * with it or missing donors
 */
export function createCounterfactual(
  name: CounterfactualName,
  { seed, encoding, donors = [], ...options }: CounterfactualOptions,
): Counterfactual {
  const perturbation = perturbationOf(name, donors);
  if (name === 'grafted-edit') checkDonors(donors);
  const shown = encodingOf(name, encoding);
  return applyPerturbation(
    perturbation,
    typeof encoding === 'object' ? encoding : createEncoding(shown as EncodingName, options),
    createRng(seed),
  );
}

/** What is known of a counterfactual before its draws: needs neither seed nor donors. */
export type CounterfactualTraits = Pick<Counterfactual, 'name' | 'encoding' | 'effect' | 'appliesTo'>;

/**
 * The traits of {@link createCounterfactual}'s result, and its check of the encoding.
 *
 * @throws `RedefError` `unknown-counterfactual`, `unknown-encoding`, or `invalid-option` for an encoding that does not go
 * with it
 */
export function counterfactualTraits(
  name: CounterfactualName,
  encoding?: EncodingName | Encoding,
): CounterfactualTraits {
  const { effect, appliesTo } = perturbationOf(name, []);
  return { name, encoding: encodingOf(name, encoding), effect, appliesTo };
}

function perturbationOf(name: CounterfactualName, donors: readonly ChangeText[]): Perturbation {
  if (isLayoutCounterfactual(name)) return layoutPerturbations[name].perturbation;
  if (Object.hasOwn(changePerturbations, name)) return changePerturbations[name](donors);
  throw new RedefError(`There is no counterfactual ${JSON.stringify(name)}`, {
    code: 'unknown-counterfactual',
    remedy: `Choose one of ${counterfactualNames.join(', ')}.`,
  });
}

/** The name of the encoding that shows the perturbed change. */
function encodingOf(name: CounterfactualName, encoding: string | Encoding | undefined): string {
  if (typeof encoding === 'string') checkEncodingName(encoding);
  const given = typeof encoding === 'object' ? encoding.name : encoding;
  if (!isLayoutCounterfactual(name)) return given ?? 'diff-tags';
  const own = layoutPerturbations[name].encoding;
  if (given === undefined || given === own) return own;
  throw new RedefError(`${name} perturbs the encoding ${own}, not ${given}`, {
    code: 'invalid-option',
    remedy: `Leave the encoding out, or choose another counterfactual: ${Object.keys(changePerturbations).join(', ')} go with any encoding.`,
  });
}

function isLayoutCounterfactual(name: CounterfactualName): name is LayoutCounterfactualName {
  return Object.hasOwn(layoutPerturbations, name);
}

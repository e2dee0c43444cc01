import { type Rng, requireOption, type SplitName, splitNameSchema } from '@redef/core';
import { checkChange } from '../check-change.js';
import type { Encoding } from '../encodings/encoding.js';
import { type EncodedChange, fitLayout, withMarks } from '../fit.js';
import type { ChangeText, Layout } from '../layout.js';
import type { Budget } from '../tokenizers/tokenizer.js';

/** What a model that understands changes should make of it: another answer, or the same one. */
export type Effect = 'meaning' | 'form';

/** An encoding with a seeded perturbation: draws depend on the seed and the record's id alone, never on order or workers. */
export interface Counterfactual {
  readonly name: string;
  /** The name of the encoding it perturbs. */
  readonly encoding: string;
  readonly specialTokens: readonly string[];
  readonly effect: Effect;
  /** The splits that are perturbed. Validation goes with train: it selects the checkpoint of a model trained that way. */
  readonly appliesTo: { readonly train: boolean; readonly test: boolean };
  /**
   * The encoding's layout, perturbed where the split is.
   *
   * @throws `RedefError` `invalid-option` where the split is none of train, validation and test
   */
  layout(change: ChangeText, split: SplitName): Layout;
  /** The encoding's own result where the split is not perturbed. */
  encode(change: ChangeText, budget: Budget, split: SplitName): EncodedChange;
}

/** One perturbation: of the change itself, or of how an encoding lays it out. Either returns its input where it has nothing to work on. */
export interface Perturbation {
  name: string;
  effect: Effect;
  appliesTo: { train: boolean; test: boolean };
  /** Changes the two functions; any encoding can show the result. */
  perturbChange?(change: ChangeText, rng: Rng): ChangeText;
  /** Changes the layout of the one encoding that `encoding` names. */
  perturbLayout?(layout: Layout, rng: Rng): Layout;
}

export function applyPerturbation(perturbation: Perturbation, encoding: Encoding, rng: Rng): Counterfactual {
  const { name, effect, appliesTo, perturbChange, perturbLayout } = perturbation;
  const ownRng = rng.fork(name);
  const layout = (change: ChangeText, split: SplitName): Layout => {
    checkChange(change);
    // a mistyped one would be left unperturbed, and the counterfactual would measure nothing
    requireOption('split', split, splitNameSchema.options.includes(split), splitNameSchema.options.join(', '));
    if (!(split === 'test' ? appliesTo.test : appliesTo.train)) return encoding.layout(change);
    const draws = ownRng.fork(change.id);
    const laidOut = encoding.layout(perturbChange ? perturbChange(change, draws) : change);
    return perturbLayout ? perturbLayout(laidOut, draws) : laidOut;
  };
  return {
    name,
    encoding: encoding.name,
    specialTokens: encoding.specialTokens,
    effect,
    appliesTo,
    layout,
    encode(change, { tokenizer, maxTokens }, split) {
      const laidOut = layout(change, split);
      return fitLayout(change.id, laidOut, { tokenizer: withMarks(tokenizer, encoding.specialTokens), maxTokens });
    },
  };
}

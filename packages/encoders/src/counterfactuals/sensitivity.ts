import { RedefError, requireOption, shown } from '@redef/core';
import type { Effect } from './counterfactual.js';

/** One record's two scores by one model: as it is, and under one counterfactual. */
export interface ScorePair {
  id: string;
  counterfactual: string;
  effect: Effect;
  /** The model's probability that the change is defective. */
  original: number;
  perturbed: number;
}

/** How a model's predictions move under a group of counterfactuals. */
export interface Movement {
  pairs: number;
  /** Share of predictions whose class changes, 0 to 1. */
  flipRate: number;
  /** Mean of |perturbed - original|, 0 to 1. */
  meanShift: number;
}

export interface Sensitivity {
  /** Movement by counterfactual, names in code-unit order. */
  byCounterfactual: Record<string, Movement>;
  meaning: Movement;
  form: Movement;
  /** `meaning.flipRate - form.flipRate`, -1 to 1. */
  flipGap: number;
  /** `meaning.meanShift - form.meanShift`, -1 to 1. */
  shiftGap: number;
  /**
   * The probability that a record's prediction moves farther under a perturbation of meaning than under one of form, both
   * drawn at random, ties counted half; the mean over records that have both. 0.5: the model does not tell them apart;
   * 1: it always moves farther where the meaning changed. `undefined` where no record has both.
   */
  discrimination: number | undefined;
}

/**
 * How often and how far a model's predictions move when the meaning of a change changes, against when only its form does.
 * The question is ReDef's (section 3.2, stage 2); the paper answers it by the F1 of whole test sets, which can stay equal
 * while single predictions move both ways. This score looks at each record.
 *
 * @param threshold a score at or above it is predicted defective; 0 to 1, default 0.5
 * @throws `RedefError` `invalid-score` for a score or a threshold that is no probability, `invalid-option` for an effect
 * that is neither `meaning` nor `form`
 */
export function sensitivityOf(
  pairs: Iterable<ScorePair>,
  { threshold = 0.5 }: { threshold?: number } = {},
): Sensitivity {
  checkProbability(threshold, 'threshold');
  const groups = new Map<string, ScorePair[]>();
  const byEffect: Record<Effect, ScorePair[]> = { meaning: [], form: [] };
  const byRecord = new Map<string, Record<Effect, number[]>>();
  for (const pair of pairs) {
    check(pair);
    const group = groups.get(pair.counterfactual);
    if (group) group.push(pair);
    else groups.set(pair.counterfactual, [pair]);
    byEffect[pair.effect].push(pair);
    const shifts = byRecord.get(pair.id) ?? { meaning: [], form: [] };
    shifts[pair.effect].push(shiftOf(pair));
    byRecord.set(pair.id, shifts);
  }
  const meaning = movementOf(byEffect.meaning, threshold);
  const form = movementOf(byEffect.form, threshold);
  return {
    byCounterfactual: Object.fromEntries(
      [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, group]) => [name, movementOf(group, threshold)]),
    ),
    meaning,
    form,
    flipGap: meaning.flipRate - form.flipRate,
    shiftGap: meaning.meanShift - form.meanShift,
    discrimination: discriminationOf([...byRecord.values()]),
  };
}

function movementOf(pairs: readonly ScorePair[], threshold: number): Movement {
  const flips = pairs.filter(({ original, perturbed }) => original >= threshold !== perturbed >= threshold).length;
  const share = (sum: number): number => (pairs.length === 0 ? 0 : sum / pairs.length);
  return {
    pairs: pairs.length,
    flipRate: share(flips),
    meanShift: share(pairs.reduce((sum, pair) => sum + shiftOf(pair), 0)),
  };
}

function discriminationOf(records: readonly Record<Effect, number[]>[]): number | undefined {
  const both = records.filter(({ meaning, form }) => meaning.length > 0 && form.length > 0);
  if (both.length === 0) return undefined;
  const shares = both.map(({ meaning, form }) => {
    let wins = 0;
    for (const m of meaning) for (const f of form) wins += m > f ? 1 : m === f ? 0.5 : 0;
    return wins / (meaning.length * form.length);
  });
  return shares.reduce((sum, share) => sum + share, 0) / both.length;
}

function shiftOf({ original, perturbed }: ScorePair): number {
  return Math.abs(perturbed - original);
}

function check({ id, counterfactual, effect, original, perturbed }: ScorePair): void {
  for (const score of [original, perturbed]) checkProbability(score, `${id}, ${counterfactual}`);
  requireOption(
    `${id}, ${counterfactual}: effect`,
    effect,
    effect === 'meaning' || effect === 'form',
    'meaning or form',
  );
}

function checkProbability(value: unknown, what: string): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  throw new RedefError(`${what}: expected a probability from 0 to 1, got ${shown(value)}`, {
    code: 'invalid-score',
    remedy: 'Pass probabilities, not logits.',
  });
}

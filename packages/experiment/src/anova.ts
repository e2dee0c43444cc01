import { RedefError } from '@redef/core';
import { mean, type RmAnova2Result, rmAnova2 } from '@redef/stats';
import type { CellResult } from './evaluate.js';

export interface AnovaOverModels {
  /**
   * Model x encoding, F1, seeds as subjects, over the encodings and seeds that its models have in common; `null` where it
   * does not exist over any two models.
   */
  anova: RmAnova2Result | null;
  /** Why there is no ANOVA. */
  anovaAbsent?: string;
  /** The models that are not in it, or would not be, and why. */
  anovaLeftOut: { model: string; reason: string }[];
}

/**
 * The two-way ANOVA of ReDef, section 4.4, over as many models as it exists for. Whichever is left out stays in the other
 * tables.
 *
 * @param cells of Stage 1
 * @param baselines models that the study added by itself: section 4.4 crosses the models that are compared
 */
export function anovaOverModels(
  cells: readonly CellResult[],
  baselines: readonly string[],
): AnovaOverModels & { means: CellResult[] } {
  const all = unique(cells.map(({ model }) => model));
  const leftOut = all
    .filter((model) => baselines.includes(model))
    .map((model) => ({ model, reason: 'a baseline that the study does not name' }));
  const models = all.filter((model) => !baselines.includes(model));
  const none = (anovaAbsent: string) => ({ anova: null, anovaAbsent, anovaLeftOut: leftOut, means: [] });
  if (all.length === 0) return none('no model has a result on an encoding without a counterfactual');
  if (models.length < 2) return none('one model: there is no model factor to cross with encoding');

  const whole = analyse(cells, models);
  if (typeof whole !== 'string') return { ...whole, anovaLeftOut: leftOut };
  const chosen = largestSet(cells, models);
  const found = analyse(cells, chosen);
  if (typeof found === 'string') return none(whole);
  const others = models.filter((model) => !chosen.includes(model));
  const reasons = others.map((model) => ({ model, reason: whyNot(cells, model, chosen) }));
  return { ...found, anovaLeftOut: [...leftOut, ...reasons] };
}

/** From each model on, those after and before it join that leave an ANOVA; the largest set, the first of equals. */
function largestSet(cells: readonly CellResult[], models: readonly string[]): string[] {
  let best: string[] = [];
  for (const first of models) {
    const set = [first];
    for (const model of models) {
      if (model !== first && typeof analyse(cells, [...set, model]) !== 'string') set.push(model);
    }
    if (set.length > best.length) best = set;
  }
  return models.filter((model) => best.includes(model));
}

function whyNot(cells: readonly CellResult[], model: string, others: readonly string[]): string {
  const own = designOf(cells, [model]);
  return typeof own === 'string' ? own : String(analyse(cells, [...others, model]));
}

/** The ANOVA with each encoding's F1 by seed, meant over the models; or why there is none. */
function analyse(
  cells: readonly CellResult[],
  models: readonly string[],
): { anova: RmAnova2Result; means: CellResult[] } | string {
  const design = designOf(cells, models);
  if (typeof design === 'string') return design;
  const { encodings, seeds } = design;
  const cellOf = new Map(cells.map((cell) => [JSON.stringify([cell.seed, cell.model, cell.encoding]), cell]));
  const values = seeds.map((seed) =>
    models.map((model) => encodings.map((encoding) => cellOf.get(JSON.stringify([seed, model, encoding]))!.f1)),
  );
  const factors = [
    { name: 'model', levels: models },
    { name: 'encoding', levels: encodings },
  ] as const;
  try {
    const means = encodings.flatMap((encoding, e) =>
      seeds.map((seed, s): CellResult => {
        const first = cellOf.get(JSON.stringify([seed, models[0], encoding]))!;
        return { ...first, model: 'all models', f1: mean(models.map((_, m) => values[s]![m]![e]!)) };
      }),
    );
    return { anova: rmAnova2(values, { factors }), means };
  } catch (error) {
    if (RedefError.isInstance(error)) return error.message;
    throw error;
  }
}

/** What the models have in common, or what of it is too little. */
function designOf(
  cells: readonly CellResult[],
  models: readonly string[],
): { encodings: string[]; seeds: number[] } | string {
  const alone = models.length === 1;
  const who = alone ? 'it has' : 'the models have';
  const encodings = inCommon(
    models.map((model) => cells.filter((cell) => cell.model === model).map(({ encoding }) => encoding)),
  );
  if (encodings.length < 2) return `${who} fewer than two encodings${alone ? '' : ' in common'}`;
  const seeds = inCommon(
    models.flatMap((model) =>
      encodings.map((encoding) =>
        cells.filter((cell) => cell.model === model && cell.encoding === encoding).map(({ seed }) => seed),
      ),
    ),
  );
  if (seeds.length < 2)
    return `${who} fewer than two seeds ${alone ? 'on all of its encodings' : 'in common'}: repeated measures need at least two`;
  return { encodings, seeds };
}

/** What stands in every list, in the order of the first. */
function inCommon<T>([first = [], ...rest]: readonly (readonly T[])[]): T[] {
  return unique(first).filter((item) => rest.every((list) => list.includes(item)));
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

import type { Condition } from '../evaluate.js';
import type { StudyResults } from '../results.js';

/** A counterfactual that has results, and whose encoding has none on any of its seeds. */
export type Uncompared = Condition & { counterfactual: string };

export function uncompared({ conditions, statistics }: StudyResults): Uncompared[] {
  return conditions.filter(
    (condition): condition is Uncompared =>
      condition.counterfactual !== undefined &&
      !statistics.counterfactuals.some(
        ({ model, encoding, counterfactual }) =>
          model === condition.model && encoding === condition.encoding && counterfactual === condition.counterfactual,
      ),
  );
}

export function uncomparedSentences(results: StudyResults): string[] {
  return uncompared(results).map(({ model, encoding, counterfactual }) => {
    const original = results.conditions.some(
      (condition) => condition.model === model && condition.encoding === encoding && !condition.counterfactual,
    );
    const why = original
      ? `${model} has results on ${encoding} without it for other seeds alone`
      : `${model} has no result on ${encoding} without it`;
    return `${counterfactual} has nothing to be compared with: ${why}.`;
  });
}

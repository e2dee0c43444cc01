import { RedefError } from '@redef/core';
import { fail, requireOptions } from '../checks.js';
import { mean } from '../moments.js';
import { holm } from '../paired/adjusted-p-values.js';
import { type PairedTTestResult, pairedTTest } from '../paired/paired-t-test.js';
import type { ResultHeader } from '../result.js';
import { checkDesign, type Factor, type FactorOption, type TwoWayValues } from './design.js';

export interface PostHocOptions {
  factors: readonly [FactorOption, FactorOption];
  /** Name of the factor whose levels are compared. */
  compare: string;
}

export interface PostHocComparison {
  first: string;
  second: string;
  /** Two-sided, of first less second. */
  test: PairedTTestResult;
  /** Holm's adjustment within the family. */
  pHolm: number;
}

export interface PostHocFamily {
  /** Absent from the main effect's family; else the level of the other factor at which the levels are compared. */
  at?: string;
  comparisons: readonly PostHocComparison[];
}

export interface PostHocResult extends ResultHeader {
  kind: 'post-hoc-pairs';
  factor: string;
  other: string;
  /** Main effect: pairs of levels on each subject's means over the other factor. */
  mainEffect: PostHocFamily;
  /** Simple effects: pairs of levels within each level of the other factor, a family each. */
  simpleEffects: readonly PostHocFamily[];
}

/** All pairs of one factor's levels by paired t-tests, Holm-adjusted per family (ReDef, section 4.4). */
export function postHocPairs(values: TwoWayValues, options: PostHocOptions): PostHocResult {
  const { factors, compare } = requireOptions(options);
  const design = checkDesign(values, factors);
  const index = design.factors.findIndex((factor) => factor.name === compare);
  if (index === -1) {
    fail(
      'invalid-option',
      `compare must name one of the factors ${design.factors.map((f) => f.name).join(', ')}, got ${String(compare)}`,
      `Pass compare: '${design.factors[1].name}'.`,
    );
  }
  const factor = design.factors[index]!;
  const other = design.factors[1 - index]!;
  const at = (subject: number, level: number, otherLevel: number): number =>
    index === 0 ? values[subject]![level]![otherLevel]! : values[subject]![otherLevel]![level]!;
  const perSubject = (value: (subject: number) => number) => values.map((_, subject) => value(subject));

  return {
    kind: 'post-hoc-pairs',
    method: 'Paired t-tests with Holm’s adjustment per family',
    n: design.subjects,
    assumptions: ['subjects are independent of each other', 'differences are normally distributed'],
    factor: factor.name,
    other: other.name,
    mainEffect: family(factor, (level) => perSubject((s) => mean(other.levels.map((_, o) => at(s, level, o))))),
    simpleEffects: other.levels.map((name, o) => ({
      at: name,
      ...family(factor, (level) => perSubject((s) => at(s, level, o)), `${other.name} ${name}`),
    })),
  };
}

function family(
  factor: Required<Factor>,
  column: (level: number) => number[],
  place = 'the main effect',
): PostHocFamily {
  const columns = factor.levels.map((_, level) => column(level));
  const pairs = factor.levels.flatMap((first, i) =>
    factor.levels.slice(i + 1).map((second, offset) => {
      const j = i + 1 + offset;
      try {
        return { first, second, test: pairedTTest(columns[i]!, columns[j]!) };
      } catch (error) {
        if (!RedefError.isInstance(error)) throw error;
        const { code, remedy } = error;
        throw new RedefError(`${first} against ${second} in ${place}: ${error.message}`, {
          code,
          remedy,
          cause: error,
        });
      }
    }),
  );
  const adjusted = holm(pairs.map(({ test }) => test.p));
  return { comparisons: pairs.map((pair, i) => ({ ...pair, pHolm: adjusted[i]! })) };
}

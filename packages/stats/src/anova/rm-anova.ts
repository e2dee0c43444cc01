import { fail, isNumber, requireOptions } from '../checks.js';
import { largestSize, mean } from '../moments.js';
import type { ResultHeader } from '../result.js';
import { fTail } from '../special/tails.js';
import { kronecker, orthonormalContrasts, unitMean } from './contrasts.js';
import { checkDesign, type Factor, type FactorOption, type TwoWayValues } from './design.js';
import { type Sphericity, sphericity } from './sphericity.js';

export interface RmAnovaEffect {
  /** A factor's name, or both joined by ` × `. */
  name: string;
  sumOfSquares: number;
  errorSumOfSquares: number;
  f: number;
  dfNumerator: number;
  dfDenominator: number;
  p: number;
  /** SS / (SS + its error SS). */
  partialEtaSquared: number;
  /** sqrt(η²p / (1 - η²p)). */
  cohensF: number;
  /** Absent when the effect has one degree of freedom and sphericity is no question. */
  sphericity?: Sphericity & { pGreenhouseGeisser: number; pHuynhFeldt: number };
}

export interface MarginalMean {
  level: string;
  mean: number;
}

export interface RmAnova2Result extends ResultHeader {
  kind: 'rm-anova-2';
  factors: readonly [Required<Factor>, Required<Factor>];
  /** Main effect of the first factor, of the second, and their interaction. */
  effects: readonly [RmAnovaEffect, RmAnovaEffect, RmAnovaEffect];
  /** Per factor, the mean of each level over subjects and the other factor. */
  marginalMeans: readonly [readonly MarginalMean[], readonly MarginalMean[]];
  /** `[a][b]`, means over subjects. */
  cellMeans: readonly (readonly number[])[];
}

/**
 * Two-way repeated-measures ANOVA, both factors within subjects (ReDef, section 4.4: model and encoding, the seeds as
 * subjects). Each effect is tested against its own interaction with the subjects.
 */
export function rmAnova2(
  values: TwoWayValues,
  options: { factors: readonly [FactorOption, FactorOption] },
): RmAnova2Result {
  const { factors } = requireOptions(options);
  const design = checkDesign(values, factors);
  const [a, b] = design.factors;
  const levelsA = a.levels.length;
  const levelsB = b.levels.length;
  const rows = values.map((table) => table.flatMap((row) => Array.from(row))); // (subjects, levelsA * levelsB)
  const effect = (name: string, contrasts: number[][]) => testEffect(name, rows, contrasts);
  const contrastsA = orthonormalContrasts(levelsA);
  const contrastsB = orthonormalContrasts(levelsB);
  const cellMeans = a.levels.map((_, i) => b.levels.map((_, j) => mean(rows.map((row) => row[i * levelsB + j]!))));
  return {
    kind: 'rm-anova-2',
    method: 'Two-way repeated-measures ANOVA',
    n: design.subjects,
    assumptions: [
      'subjects are independent of each other',
      'the subjects’ effects are normally distributed',
      'contrasts are spherical, or a corrected p-value is read',
    ],
    factors: design.factors,
    effects: [
      effect(a.name, kronecker(contrastsA, unitMean(levelsB))),
      effect(b.name, kronecker(unitMean(levelsA), contrastsB)),
      effect(`${a.name} × ${b.name}`, kronecker(contrastsA, contrastsB)),
    ],
    marginalMeans: [
      a.levels.map((level, i) => ({ level, mean: mean(cellMeans[i]!) })),
      b.levels.map((level, j) => ({ level, mean: mean(cellMeans.map((row) => row[j]!)) })),
    ],
    cellMeans,
  };
}

/** One effect as the test that the means of its k orthonormal contrasts are all zero. */
function testEffect(name: string, rows: readonly number[][], contrasts: readonly number[][]): RmAnovaEffect {
  const subjects = rows.length;
  const k = contrasts.length;
  // (subjects, k); each subject's mean is taken off first, which no contrast sees but rounding does
  const scores = rows.map((row) => {
    const centre = mean(row);
    return contrasts.map((weights) => weights.reduce((sum, weight, cell) => sum + weight * (row[cell]! - centre), 0));
  });
  const means = contrasts.map((_, c) => mean(scores.map((score) => score[c]!)));
  const deviations = scores.map((score) => score.map((value, c) => value - means[c]!));
  const sumOfSquares = subjects * means.reduce((sum, value) => sum + value * value, 0);
  const errorSumOfSquares = deviations.flat().reduce((sum, value) => sum + value * value, 0);
  const scale = largestSize(rows.map(largestSize));
  if (errorSumOfSquares <= subjects * k * (16 * Number.EPSILON * scale) ** 2) {
    fail(
      'no-variation',
      `All ${subjects} subjects show the same effect of ${name}, so its error is zero and F does not exist`,
      'Check that the subjects are separate runs and not one run copied.',
    );
  }
  const dfNumerator = k;
  const dfDenominator = k * (subjects - 1);
  const f = sumOfSquares / dfNumerator / (errorSumOfSquares / dfDenominator);
  const result: RmAnovaEffect = {
    name,
    sumOfSquares,
    errorSumOfSquares,
    f,
    dfNumerator,
    dfDenominator,
    p: fTail(f, dfNumerator, dfDenominator),
    ...sizesOfF(f, dfNumerator, dfDenominator),
  };
  if (k === 1) return result;

  const departure = sphericity(deviations);
  const corrected = (epsilon: number) => {
    const used = Math.min(1, epsilon);
    return fTail(f, dfNumerator * used, dfDenominator * used);
  };
  return {
    ...result,
    sphericity: {
      ...departure,
      pGreenhouseGeisser: corrected(departure.epsilonGreenhouseGeisser),
      pHuynhFeldt: corrected(departure.epsilonHuynhFeldt),
    },
  };
}

/** Partial eta squared and Cohen's f of an effect, from F and its degrees of freedom (ReDef, Table 4). */
export function effectSizesOfF(
  f: number,
  dfNumerator: number,
  dfDenominator: number,
): { partialEtaSquared: number; cohensF: number } {
  const inRange = (value: unknown, least: number) => isNumber(value, least, 1e150);
  if (!inRange(f, 0) || !inRange(dfNumerator, 1e-150) || !inRange(dfDenominator, 1e-150)) {
    fail(
      'not-finite',
      `F must be a number from 0 and its degrees of freedom positive, got ${[f, dfNumerator, dfDenominator].map(String).join(', ')}`,
      'Pass F, then the degrees of freedom of its numerator and of its denominator.',
    );
  }
  return sizesOfF(f, dfNumerator, dfDenominator);
}

function sizesOfF(f: number, dfNumerator: number, dfDenominator: number) {
  const explained = f * dfNumerator;
  return {
    partialEtaSquared: explained / (explained + dfDenominator),
    cohensF: Math.sqrt(explained / dfDenominator),
  };
}

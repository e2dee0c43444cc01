import { fail, isNumber, requireCount, requireOneOf, requireOptions, requireProbability } from '../checks.js';
import { type Alternative, alternatives, type ResultHeader } from '../result.js';
import { noncentralTTail } from '../special/noncentral-t.js';
import { studentUpperQuantile } from '../special/quantiles.js';

export interface PowerOptions {
  /** Standard deviation of the differences between paired runs. */
  standardDeviation: number;
  /** Level of the test. Default 0.05. */
  alpha?: number;
  /** Default `'two-sided'`; `'greater'` for a difference whose sign is foretold. */
  alternative?: Exclude<Alternative, 'less'>;
}

export interface PowerResult extends ResultHeader {
  kind: 'power';
  alternative: Alternative;
  /** What was asked for. */
  solvedFor: 'power' | 'difference' | 'n';
  difference: number;
  standardDeviation: number;
  alpha: number;
  /** Chance that the paired t-test finds a true mean difference of `difference`. */
  power: number;
}

/** The power of the paired t-test at `n` pairs for a true mean difference of `difference` >= 0. */
export function pairedTTestPower(options: PowerOptions & { n: number; difference: number }): PowerResult {
  const { n, difference } = requireOptions(options);
  requireCount(n, 'n', 2, 1e9);
  if (!isNumber(difference, 0, largest)) {
    fail(
      'invalid-option',
      `difference must be zero or more, got ${String(difference)}`,
      'Pass the size of the difference.',
    );
  }
  return result('power', n, difference, checked(options));
}

/** The smallest true mean difference that `n` pairs (seeds) find with chance `power` (default 0.8). */
export function minimumDetectableDifference(options: PowerOptions & { n: number; power?: number }): PowerResult {
  const { n, power = 0.8 } = requireOptions(options);
  requireCount(n, 'n', 2, 1e9);
  const settings = checked(options);
  requirePower(power, settings.alpha);
  const powerAt = powerCurve(n, settings);
  let high = 1;
  while (powerAt(high) < power) high *= 2;
  const effect = solve(powerAt, power, 0, high);
  return result('difference', n, effect * settings.standardDeviation, settings);
}

/** The smallest number of pairs (seeds) that finds a true mean difference of `difference` with chance `power` (default 0.8). */
export function seedsNeeded(options: PowerOptions & { difference: number; power?: number }): PowerResult {
  const { difference, power = 0.8 } = requireOptions(options);
  const settings = checked(options);
  requirePower(power, settings.alpha);
  if (!isNumber(difference, 1e-4 * settings.standardDeviation, largest)) {
    fail(
      'invalid-option',
      `difference must be positive and no less than 1/10,000 of the standard deviation, got ${String(difference)}`,
      'Name the smallest difference that would matter; below that, no number of seeds is practical.',
    );
  }
  const effect = difference / settings.standardDeviation;
  let high = 2;
  while (powerCurve(high, settings)(effect) < power) high *= 2;
  let low = high / 2; // too few, or 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (powerCurve(middle, settings)(effect) < power) low = middle;
    else high = middle;
  }
  return result('n', high, difference, settings);
}

/** Differences and deviations beyond it, or below its inverse, would overflow on the way. */
const largest = 1e150;

type Settings = Required<PowerOptions>;

function checked({ standardDeviation, alpha = 0.05, alternative = 'two-sided' }: PowerOptions): Settings {
  requireProbability(alpha, 'alpha');
  requireOneOf<Alternative>(alternative, alternatives.slice(0, 2), 'alternative');
  if (!isNumber(standardDeviation, 1 / largest, largest)) {
    fail(
      'invalid-option',
      `standardDeviation must be positive, got ${String(standardDeviation)}`,
      'Take it from the differences of earlier paired runs: standardDeviation of a PairedTTestResult.',
    );
  }
  return { standardDeviation, alpha, alternative };
}

function requirePower(power: number, alpha: number): void {
  requireProbability(power, 'power');
  if (power <= alpha) fail('invalid-option', `power must exceed alpha (${alpha}), got ${power}`, 'Pass power: 0.8.');
}

/** Power at `n` pairs by the effect, with both tails of a two-sided test counted, as in statsmodels and R's `strict = TRUE`. */
function powerCurve(n: number, { alpha, alternative }: Settings): (effect: number) => number {
  const df = n - 1;
  const twoSided = alternative === 'two-sided';
  const critical = studentUpperQuantile(twoSided ? alpha / 2 : alpha, df);
  return (effect) => {
    const delta = effect * Math.sqrt(n);
    const upper = noncentralTTail(critical, df, delta);
    return Math.min(1, twoSided ? upper + noncentralTTail(critical, df, -delta) : upper);
  };
}

/** Where a rising function reaches `target`, by false position with the Illinois rule. */
function solve(rising: (x: number) => number, target: number, low: number, high: number): number {
  let below = rising(low) - target;
  let above = rising(high) - target;
  let side = 0;
  for (let step = 0; step < 200 && high - low > 1e-14 * high; step++) {
    const x = (low * above - high * below) / (above - below);
    const value = rising(x) - target;
    if (value === 0 || x === low || x === high) return x;
    if (value < 0) {
      low = x;
      below = value;
      if (side === -1) above /= 2;
      side = -1;
    } else {
      high = x;
      above = value;
      if (side === 1) below /= 2;
      side = 1;
    }
  }
  return (low + high) / 2;
}

function result(solvedFor: PowerResult['solvedFor'], n: number, difference: number, settings: Settings): PowerResult {
  return {
    kind: 'power',
    method: 'Power of the paired t-test',
    n,
    assumptions: ['pairs are independent of each other', 'differences are normally distributed with that deviation'],
    solvedFor,
    difference,
    ...settings,
    power: powerCurve(n, settings)(difference / settings.standardDeviation),
  };
}

import {
  fail,
  type Numbers,
  requireCount,
  requireFinite,
  requireOneOf,
  requireOptions,
  requireSameLength,
} from '../checks.js';
import { valueAt } from '../moments.js';
import type { ResultHeader } from '../result.js';
import { isPositive, type Labels } from './score-sweep.js';

const strategies = ['uniform', 'quantile'] as const;

export interface CalibrationOptions {
  /** Default 10. */
  bins?: number;
  /** `'uniform'`, the default: equal widths over [0, 1]; `'quantile'`: edges at the quantiles of the probabilities. */
  strategy?: (typeof strategies)[number];
}

export interface CalibrationBin {
  /** The bin holds probabilities above `low` up to and with `high`; the first holds its low end too. */
  low: number;
  high: number;
  count: number;
  /** Mean probability, and share of positives; absent from an empty bin. */
  meanProbability?: number;
  positiveShare?: number;
}

export interface Calibration extends ResultHeader {
  kind: 'calibration';
  bins: readonly CalibrationBin[];
  /** Mean squared error of the probabilities (Brier, 1950). */
  brier: number;
  /** Mean over items, and largest over bins, of |mean probability - share of positives|. */
  expectedCalibrationError: number;
  maximumCalibrationError: number;
}

/** How far predicted probabilities are from the rates at which the class occurs, binned as scikit-learn's `calibration_curve` does. */
export function calibration(truth: Labels, probabilities: Numbers, options: CalibrationOptions = {}): Calibration {
  const { bins = 10, strategy = 'uniform' } = requireOptions(options);
  requireOneOf(strategy, strategies, 'strategy');
  requireCount(bins, 'bins', 1, 1e6);
  const brier = brierScore(truth, probabilities);
  const n = truth.length;
  const sorted = strategy === 'quantile' ? Float64Array.from(probabilities).sort() : undefined;
  const edges = Float64Array.from({ length: bins + 1 }, (_, i) =>
    sorted ? valueAt(sorted, (i * (n - 1)) / bins) : i / bins,
  );
  const counts = new Uint32Array(bins);
  const positives = new Uint32Array(bins);
  const sums = new Float64Array(bins);
  for (let i = 0; i < n; i++) {
    const bin = innerEdgesBelow(edges, probabilities[i]!);
    counts[bin]!++;
    sums[bin]! += probabilities[i]!;
    if (isPositive(truth[i], i)) positives[bin]!++;
  }
  let expectedCalibrationError = 0;
  let maximumCalibrationError = 0;
  const table = Array.from(counts, (count, bin): CalibrationBin => {
    const range = { low: edges[bin]!, high: edges[bin + 1]!, count };
    if (count === 0) return range;
    const meanProbability = sums[bin]! / count;
    const positiveShare = positives[bin]! / count;
    const gap = Math.abs(meanProbability - positiveShare);
    expectedCalibrationError += (count / n) * gap;
    maximumCalibrationError = Math.max(maximumCalibrationError, gap);
    return { ...range, meanProbability, positiveShare };
  });
  return {
    kind: 'calibration',
    method: `Calibration in ${bins} ${strategy === 'uniform' ? 'bins of equal width' : 'quantile bins'}`,
    n,
    assumptions: ['items are independent of each other'],
    bins: table,
    brier,
    expectedCalibrationError,
    maximumCalibrationError,
  };
}

/** Mean squared error of probabilities against 0 and 1 (Brier, 1950): 0 is best. Throws on scores outside [0, 1]. */
export function brierScore(truth: Labels, probabilities: Numbers): number {
  requireSameLength(truth, probabilities, ['truth', 'probabilities']);
  requireFinite(probabilities, 'probabilities');
  if (truth.length === 0) fail('no-items', 'truth and probabilities are empty', 'Score at least one item.');
  let sum = 0;
  for (let i = 0; i < truth.length; i++) {
    const probability = probabilities[i]!;
    if (probability < 0 || probability > 1) {
      fail(
        'not-a-probability',
        `probabilities[${i}] must lie from 0 to 1, got ${probability}`,
        'Put logits through the logistic function first.',
      );
    }
    sum += (probability - (isPositive(truth[i], i) ? 1 : 0)) ** 2;
  }
  return sum / truth.length;
}

function innerEdgesBelow(edges: Float64Array, value: number): number {
  let low = 0;
  let high = edges.length - 2; // inner edges are edges[1 .. bins - 1]
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle + 1]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

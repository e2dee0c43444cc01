import {
  fail,
  type Numbers,
  requireFinite,
  requireOneOf,
  requireOptions,
  requireProbability,
  requireSameLength,
} from '../checks.js';
import type { ResultHeader } from '../result.js';
import { isPositive, type Labels } from './score-sweep.js';

const pOptAreas = ['exact', 'deciles'] as const;

export interface EffortOptions {
  /** The share of effort, and of recall, that is asked about. Default 0.2. */
  share?: number;
  /**
   * How P_opt's areas are summed. `'exact'`, the default: each change is one straight piece of its curve. `'deciles'`:
   * by trapezoids through the recall at 10%, 20%, ... 100% of the effort, a change counting once it is read whole, as
   * in the published scripts of JITLine (Pornprasit and Tantithamthavorn, 2021) and of JIT-Fine (Ni et al., 2022).
   */
  pOptArea?: (typeof pOptAreas)[number];
}

export type EffortMetricName = 'recallAtEffort' | 'effortAtRecall' | 'pOpt' | 'ifa' | 'pciAtEffort';

export interface EffortMetrics extends ResultHeader, Record<EffortMetricName, number> {
  kind: 'effort-metrics';
  share: number;
  pOptArea: (typeof pOptAreas)[number];
  /** Share of the defects among the changes read before `share` of all effort is spent, the last one read whole. */
  recallAtEffort: number;
  /** Share of all effort spent when `share` of the defects, rounded up, are found. */
  effortAtRecall: number;
  /** 1 - (optimal - predicted) / (optimal - worst), areas under recall over effort share, summed as `pOptArea` says. */
  pOpt: number;
  /** Initial false alarms: clean changes read before the first defective one. */
  ifa: number;
  /** Share of the changes that are read before `share` of all effort is spent. */
  pciAtEffort: number;
  /**
   * Metrics that the data does not define. Without a defect: recall 0, effort 1, P_opt 0, IFA the number of changes.
   * P_opt is 1 when every order is as good as every other.
   */
  undefinedBecause: Partial<Record<EffortMetricName, string>>;
}

/**
 * Effort-aware metrics of a reading order (Kamei et al., 2013; Huang et al., 2019, for IFA and PCI): changes are read by
 * falling `scores / effort`, effort being lines of code, say; scores are zero or more, and a change of no effort with a
 * score above zero comes first. Ties: the smaller effort first, and a clean change before a defective one, so that the
 * order of the rows never flatters.
 */
export function effortMetrics(
  truth: Labels,
  scores: Numbers,
  effort: Numbers,
  options: EffortOptions = {},
): EffortMetrics {
  const { share = 0.2, pOptArea = 'exact' } = requireOptions(options);
  requireOneOf(pOptArea, pOptAreas, 'pOptArea');
  requireSameLength(truth, scores, ['truth', 'scores']);
  requireSameLength(truth, effort, ['truth', 'effort']);
  requireFinite(scores, 'scores');
  requireFinite(effort, 'effort');
  requireProbability(share, 'share');
  const n = truth.length;
  const defective = Uint8Array.from({ length: n }, (_, i) => (isPositive(truth[i], i) ? 1 : 0));
  let total = 0;
  for (let i = 0; i < n; i++) {
    if (scores[i]! < 0) {
      fail(
        'not-a-probability',
        `scores[${i}] is ${scores[i]}, below zero`,
        'Put logits through the logistic function first.',
      );
    }
    if (effort[i]! < 0 || effort[i]! > 1e150) {
      fail('invalid-effort', `effort[${i}] must lie from 0 to 1e150, got ${effort[i]}`, 'Pass lines of code or hours.');
    }
    total += effort[i]!;
  }
  if (!(total > 0)) fail('invalid-effort', `The effort of all ${n} changes is zero`, 'Pass lines of code or hours.');

  const byDensity = (value: (i: number) => number): Uint32Array => {
    const density = Float64Array.from({ length: n }, (_, i) => (value(i) === 0 ? 0 : value(i) / effort[i]!));
    return Uint32Array.from({ length: n }, (_, i) => i).sort((i, j) => {
      if (density[i] !== density[j]) return density[j]! > density[i]! ? 1 : -1;
      return effort[i]! - effort[j]! || defective[i]! - defective[j]!;
    });
  };
  const predicted = byDensity((i) => scores[i]!);
  const optimal = byDensity((i) => defective[i]!);
  const defects = defective.reduce((sum, d) => sum + d, 0);
  const read = readingCosts(predicted, defective, effort, share * total, Math.ceil(share * defects - 1e-9));

  const area = (order: Uint32Array): number =>
    (pOptArea === 'exact' ? recallArea : decileArea)(order, defective, effort, total, defects);
  const best = area(optimal);
  const worst = area(optimal.slice().reverse());
  const ours = area(predicted);
  const undefinedBecause: EffortMetrics['undefinedBecause'] = {};
  if (defects === 0) {
    for (const name of ['recallAtEffort', 'effortAtRecall', 'pOpt', 'ifa'] as const) {
      undefinedBecause[name] = 'there are no defective changes';
    }
  } else if (best - worst <= 1e-12) undefinedBecause.pOpt = 'every order is as good as every other';
  return {
    kind: 'effort-metrics',
    method: 'Effort-aware metrics, read by falling score over effort',
    n,
    assumptions: ['the cost of reading a change is its effort', 'a defective change is recognised when it is read'],
    share,
    pOptArea,
    recallAtEffort: defects === 0 ? 0 : read.defectsWithin / defects,
    effortAtRecall: defects === 0 ? 1 : read.effortForDefects / total,
    pOpt: defects === 0 ? 0 : best - worst <= 1e-12 ? 1 : 1 - (best - ours) / (best - worst),
    ifa: read.initialFalseAlarms,
    pciAtEffort: read.changesWithin / n,
    undefinedBecause,
  };
}

function readingCosts(
  order: Uint32Array,
  defective: Uint8Array,
  effort: Numbers,
  budget: number,
  wanted: number,
): { changesWithin: number; defectsWithin: number; effortForDefects: number; initialFalseAlarms: number } {
  let spent = 0;
  let found = 0;
  let changesWithin = 0;
  let defectsWithin = 0;
  let effortForDefects = 0;
  let initialFalseAlarms = 0;
  for (const i of order) {
    spent += effort[i]!;
    found += defective[i]!;
    if (found === 0) initialFalseAlarms++;
    if (spent <= budget * (1 + 1e-12)) {
      changesWithin++;
      defectsWithin = found;
    }
    if (defective[i] === 1 && found === wanted) effortForDefects = spent;
  }
  return { changesWithin, defectsWithin, effortForDefects, initialFalseAlarms };
}

/** Area under the curve of recall over the share of effort, from (0, 0) to (1, 1). */
function recallArea(
  order: Uint32Array,
  defective: Uint8Array,
  effort: Numbers,
  total: number,
  defects: number,
): number {
  let area = 0;
  let found = 0;
  for (const i of order) {
    area += effort[i]! * (found + defective[i]! / 2);
    found += defective[i]!;
  }
  return area / (total * defects);
}

/** Area under the recall at each tenth of the effort, from 10% to 100%, by trapezoids. */
function decileArea(
  order: Uint32Array,
  defective: Uint8Array,
  effort: Numbers,
  total: number,
  defects: number,
): number {
  let area = 0;
  let spent = 0;
  let found = 0;
  let next = 0;
  for (let decile = 1; decile <= 10; decile++) {
    for (; next < order.length; next++) {
      const i = order[next]!;
      if (spent + effort[i]! > (decile / 10) * total * (1 + 1e-12)) break;
      spent += effort[i]!;
      found += defective[i]!;
    }
    area += decile === 1 || decile === 10 ? found / 20 : found / 10;
  }
  return area / defects;
}

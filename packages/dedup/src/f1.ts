import type { Rng } from '@redef/core';
import type { Interval } from './intervals.js';

/** Outcomes of binary predictions, counted: true and false positives, false and true negatives. */
export interface Confusion {
  truePositives: number;
  falsePositives: number;
  falseNegatives: number;
  trueNegatives: number;
}

export function emptyConfusion(): Confusion {
  return { truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0 };
}

export function addOutcome(counts: Confusion, truth: boolean, predicted: boolean): void {
  if (truth) counts[predicted ? 'truePositives' : 'falseNegatives']++;
  else counts[predicted ? 'falsePositives' : 'trueNegatives']++;
}

/** F1 of the positive class; `null` where nothing is or is called positive. */
export function f1({ truePositives, falsePositives, falseNegatives }: Confusion): number | null {
  const all = 2 * truePositives + falsePositives + falseNegatives;
  return all === 0 ? null : (2 * truePositives) / all;
}

/** F1 on leaked rows, on clean rows and on all, with 95% percentile intervals of a bootstrap within leaked and clean rows. */
export interface F1Inflation {
  overall: { score: number | null; interval: Interval | null };
  leaked: { score: number | null; interval: Interval | null };
  clean: { score: number | null; interval: Interval | null };
  /** Overall less clean. */
  inflation: { value: number; interval: Interval } | null;
  resamples: number;
}

export function f1Inflation(leaked: Confusion, clean: Confusion, rng: Rng, resamples: number): F1Inflation {
  const draws = { overall: [] as number[], leaked: [] as number[], clean: [] as number[], inflation: [] as number[] };
  const keep = (into: number[], score: number | null) => score !== null && into.push(score);
  for (let draw = 0; draw < resamples; draw++) {
    const leakedAgain = resample(leaked, rng);
    const cleanAgain = resample(clean, rng);
    const [overall, onClean] = [f1(sum(leakedAgain, cleanAgain)), f1(cleanAgain)];
    keep(draws.overall, overall);
    keep(draws.leaked, f1(leakedAgain));
    keep(draws.clean, onClean);
    if (overall !== null && onClean !== null) draws.inflation.push(overall - onClean);
  }
  const all = f1(sum(leaked, clean));
  const onClean = f1(clean);
  const inflation = percentiles(draws.inflation);
  return {
    overall: { score: all, interval: percentiles(draws.overall) },
    leaked: { score: f1(leaked), interval: percentiles(draws.leaked) },
    clean: { score: onClean, interval: percentiles(draws.clean) },
    inflation:
      all === null || onClean === null || inflation === null ? null : { value: all - onClean, interval: inflation },
    resamples,
  };
}

/** As many rows again, drawn with replacement. */
function resample(counts: Confusion, rng: Rng): Confusion {
  const { truePositives, falsePositives, falseNegatives, trueNegatives } = counts;
  const rows = truePositives + falsePositives + falseNegatives + trueNegatives;
  const drawn = emptyConfusion();
  for (let row = 0; row < rows; row++) {
    const pick = rng.integer(rows);
    if (pick < truePositives) drawn.truePositives++;
    else if (pick < truePositives + falsePositives) drawn.falsePositives++;
    else if (pick < truePositives + falsePositives + falseNegatives) drawn.falseNegatives++;
    else drawn.trueNegatives++;
  }
  return drawn;
}

function sum(first: Confusion, second: Confusion): Confusion {
  return {
    truePositives: first.truePositives + second.truePositives,
    falsePositives: first.falsePositives + second.falsePositives,
    falseNegatives: first.falseNegatives + second.falseNegatives,
    trueNegatives: first.trueNegatives + second.trueNegatives,
  };
}

/** The 2.5% and 97.5% points, by linear interpolation; `null` of nothing. */
function percentiles(values: readonly number[]): Interval | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((first, second) => first - second);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const low = Math.floor(place);
    return sorted[low]! + (place - low) * (sorted[Math.ceil(place)]! - sorted[low]!);
  };
  return [at(0.025), at(0.975)];
}

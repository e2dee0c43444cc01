import { fail, requireCount, requireProbability } from '../checks.js';
import type { Interval, ResultHeader } from '../result.js';
import { betaQuantile, normalUpperQuantile } from '../special/quantiles.js';

export interface ProportionInterval extends ResultHeader, Interval {
  kind: 'proportion-interval';
  successes: number;
  /** successes / n. */
  proportion: number;
}

/** Wilson's score interval (1927) for a proportion, without continuity correction: close to its level on average, and never outside [0, 1]. */
export function wilsonInterval(successes: number, n: number, level = 0.95): ProportionInterval {
  const header = proportionHeader(successes, n, level, 'Wilson score interval');
  const z = normalUpperQuantile((1 - level) / 2);
  const { proportion } = header;
  const shrink = 1 + (z * z) / n;
  const centre = (proportion + (z * z) / (2 * n)) / shrink;
  const margin = (z / shrink) * Math.sqrt((proportion * (1 - proportion)) / n + (z * z) / (4 * n * n));
  return {
    ...header,
    low: successes === 0 ? 0 : Math.max(0, centre - margin),
    high: successes === n ? 1 : Math.min(1, centre + margin),
  };
}

/** Clopper and Pearson's exact interval (1934): covers at least its level, so it is wider than Wilson's. */
export function clopperPearsonInterval(successes: number, n: number, level = 0.95): ProportionInterval {
  const header = proportionHeader(successes, n, level, 'Clopper-Pearson exact interval');
  const tail = (1 - level) / 2;
  return {
    ...header,
    low: successes === 0 ? 0 : betaQuantile(tail, successes, n - successes + 1),
    high: successes === n ? 1 : betaQuantile(1 - tail, successes + 1, n - successes),
  };
}

function proportionHeader(successes: number, n: number, level: number, method: string) {
  requireCount(n, 'n', 1, 1e9);
  requireCount(successes, 'successes', 0);
  requireProbability(level, 'level');
  if (successes > n)
    fail('invalid-option', `successes must be at most n (${n}), got ${successes}`, 'Pass successes first, then n.');
  return {
    kind: 'proportion-interval' as const,
    method,
    n,
    assumptions: ['trials are independent and have the same chance of success'],
    successes,
    proportion: successes / n,
    level,
  };
}

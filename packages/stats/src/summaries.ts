import { fail, type Numbers, requireFinite } from './checks.js';
import { largestSize, mean as meanOf, sampleDeviation } from './moments.js';

/** Arithmetic mean of one finite value or more, in two passes so that a large offset costs no digits. */
export function mean(values: Numbers): number {
  requireMeasurable(values);
  if (values.length === 0) fail('no-items', 'values is empty, so it has no mean', 'Pass at least one value.');
  return meanOf(values);
}

/** Sample standard deviation, divisor n - 1, of two finite values or more: the papers' "mean ± std". */
export function standardDeviation(values: Numbers): number {
  requireMeasurable(values);
  if (values.length < 2) {
    fail('too-few-items', `A standard deviation needs at least 2 values, got ${values.length}`, 'Run more seeds.');
  }
  return sampleDeviation(values);
}

function requireMeasurable(values: Numbers): void {
  requireFinite(values, 'values');
  const scale = largestSize(values);
  if (scale > 1e150) {
    fail('not-finite', `Values up to ${scale} have squares that are not finite`, 'Measure in a larger unit.');
  }
}

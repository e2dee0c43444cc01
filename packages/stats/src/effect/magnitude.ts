import { fail, isNumber } from '../checks.js';

/**
 * The lower ends of small, medium and large. Cohen (1988) for dz, partial eta squared and f, as ReDef's section 4.4 has
 * them; Romano et al. (2006) for Cliff's delta; Cohen's thresholds for r for the matched-pairs rank-biserial.
 */
export const effectThresholds = {
  cohensDz: [0.2, 0.5, 0.8],
  partialEtaSquared: [0.01, 0.06, 0.14],
  cohensF: [0.1, 0.25, 0.4],
  cliffsDelta: [0.147, 0.33, 0.474],
  rankBiserial: [0.1, 0.3, 0.5],
} as const;

export type EffectMeasure = keyof typeof effectThresholds;
export type Magnitude = 'negligible' | 'small' | 'medium' | 'large';

/** The word for the size of an effect, by {@link effectThresholds}; the sign is not looked at. */
export function magnitude(measure: EffectMeasure, value: number): Magnitude {
  if (!Object.hasOwn(effectThresholds, measure)) {
    fail(
      'invalid-option',
      `There are no thresholds for ${String(measure)}`,
      `Use one of ${Object.keys(effectThresholds).join(', ')}.`,
    );
  }
  if (!isNumber(value, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)) {
    fail('not-finite', `The effect must be a number, got ${String(value)}`, 'Pass the value of the effect size.');
  }
  const [small, medium, large] = effectThresholds[measure];
  const size = Math.abs(value);
  return size >= large ? 'large' : size >= medium ? 'medium' : size >= small ? 'small' : 'negligible';
}

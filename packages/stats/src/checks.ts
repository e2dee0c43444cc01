import { RedefError } from '@redef/core';

/** Any array of numbers, typed or not. */
export type Numbers = ArrayLike<number>;

export function fail(code: string, message: string, remedy: string): never {
  throw new RedefError(message, { code, remedy });
}

export function requireSameLength(
  a: ArrayLike<unknown>,
  b: ArrayLike<unknown>,
  names: readonly [string, string],
): void {
  if (a.length !== b.length) {
    fail(
      'unequal-lengths',
      `${names[0]} and ${names[1]} must have one value per item each, got ${a.length} and ${b.length}`,
      'Join the two by id first, so that position i of both is the same seed, item or subject.',
    );
  }
}

export function requireFinite(values: Numbers, name: string): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      fail(
        'not-finite',
        `${name}[${i}] must be a finite number, got ${String(values[i])}`,
        'Find the run that gave no number; run it again or leave its whole pair out, and say so.',
      );
    }
  }
}

/** The differences a - b of at least two pairs of finite numbers. */
export function pairedDifferences(a: Numbers, b: Numbers): Float64Array {
  requireSameLength(a, b, ['a', 'b']);
  requireFinite(a, 'a');
  requireFinite(b, 'b');
  if (a.length < 2) {
    fail('too-few-pairs', `A paired comparison needs at least 2 pairs, got ${a.length}`, 'Run more seeds.');
  }
  return Float64Array.from({ length: a.length }, (_, i) => a[i]! - b[i]!);
}

/** Ends with an error when no difference differs from another: then there is no spread to measure against. */
export function requireVariation(differences: Numbers): void {
  const first = differences[0]!;
  for (let i = 1; i < differences.length; i++) if (differences[i] !== first) return;
  fail(
    first === 0 ? 'all-differences-zero' : 'no-variation',
    `All ${differences.length} differences a - b are ${first}, so their spread is zero and no test statistic exists`,
    first === 0
      ? 'Report that the two conditions gave identical values; check that they are not the same runs read twice.'
      : 'Report the constant difference as it is; check that the values were not rounded or made from each other.',
  );
}

export function requireProbability(value: number, name: string): void {
  if (!(value > 0 && value < 1)) {
    fail('invalid-option', `${name} must lie between 0 and 1, got ${value}`, `Pass ${name}: 0.95, for example.`);
  }
}

export function requireCount(value: number, name: string, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    fail(
      'invalid-option',
      `${name} must be an integer of at least ${least}, got ${value}`,
      `Pass a whole number as ${name}.`,
    );
  }
}

export function requireOneOf<T extends string>(value: T, allowed: readonly T[], name: string): void {
  if (!allowed.includes(value)) {
    fail(
      'invalid-option',
      `${name} must be one of ${allowed.join(', ')}, got ${value}`,
      `Pass ${name}: '${allowed[0]}'.`,
    );
  }
}

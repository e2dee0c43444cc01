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

/** From 1e-15, since tails beyond it belong to no study and their quantiles overflow, to below 1. */
export function requireProbability(value: number, name: string): void {
  if (!(value >= 1e-15 && value < 1)) {
    fail('invalid-option', `${name} must lie between 0 and 1, got ${value}`, `Pass ${name}: 0.95, for example.`);
  }
}

export function requireCount(value: number, name: string, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    fail('invalid-option', `${name} must be an integer ${range}, got ${value}`, `Pass a whole number as ${name}.`);
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

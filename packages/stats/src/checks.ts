import { RedefError, type Rng } from '@redef/core';

/** Any array of numbers, typed or not. */
export type Numbers = ArrayLike<number>;

export function fail(code: string, message: string, remedy: string): never {
  throw new RedefError(message, { code, remedy });
}

/** For callers without types: the checks below take nothing for granted, not even that there is an array. */
export function requireArray(values: ArrayLike<unknown>, name: string): void {
  const length: unknown = typeof values === 'string' || typeof values === 'object' ? values?.length : undefined;
  if (!Number.isSafeInteger(length) || Number(length) < 0) {
    fail(
      'not-an-array',
      `${name} must be an array, got ${shown(values)}`,
      `Pass an array or a typed array as ${name}.`,
    );
  }
}

/** An object of options, so that a forgotten one is named and not destructured. */
export function requireOptions<T extends object>(options: T, name = 'options'): T {
  if (typeof options !== 'object' || options === null) {
    fail('invalid-option', `${name} must be an object, got ${shown(options)}`, `Pass an object with named ${name}.`);
  }
  return options;
}

export function requireRng(rng: Rng): void {
  if (typeof (rng as Partial<Rng> | null | undefined)?.integer !== 'function') {
    fail('invalid-option', `rng must be a generator, got ${shown(rng)}`, "Pass rng: createRng(seed) of '@redef/core'.");
  }
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? `an ${Array.isArray(value) ? 'array' : 'object'}` : String(value);

export function requireSameLength(
  a: ArrayLike<unknown>,
  b: ArrayLike<unknown>,
  names: readonly [string, string],
): void {
  requireArray(a, names[0]);
  requireArray(b, names[1]);
  if (a.length !== b.length) {
    fail(
      'unequal-lengths',
      `${names[0]} and ${names[1]} must have one value per item each, got ${a.length} and ${b.length}`,
      'Join the two by id first, so that position i of both is the same seed, item or subject.',
    );
  }
}

export function requireFinite(values: Numbers, name: string): void {
  requireArray(values, name);
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

/** Whether a caller's value is a number, and lies from `least` to `most`. */
export const isNumber = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most;

/** From 1e-15, since tails beyond it belong to no study and their quantiles overflow, to below 1. */
export function requireProbability(value: number, name: string): void {
  if (!isNumber(value, 1e-15, 1) || value === 1) {
    fail('invalid-option', `${name} must lie between 0 and 1, got ${shown(value)}`, `Pass ${name}: 0.95, for example.`);
  }
}

export function requireCount(value: number, name: string, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    fail(
      'invalid-option',
      `${name} must be an integer ${range}, got ${shown(value)}`,
      `Pass a whole number as ${name}.`,
    );
  }
}

export function requireOneOf<T extends string>(value: T, allowed: readonly T[], name: string): void {
  if (!allowed.includes(value)) {
    fail(
      'invalid-option',
      `${name} must be one of ${allowed.join(', ')}, got ${shown(value)}`,
      `Pass ${name}: '${allowed[0]}'.`,
    );
  }
}

import { InvalidArgumentError } from 'commander';

// Parsers of option values: what they throw is told as wrong use, with exit code 2.

export function integer(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least || text.trim() === '') {
      throw new InvalidArgumentError(`expected an integer of at least ${least}`);
    }
    return value;
  };
}

/** `12345`, `1,2,3` or `12345-12354`. */
export function seeds(text: string): number[] {
  const found = text.split(',').flatMap((part) => {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined) throw new InvalidArgumentError('expected seeds such as 1,2,3 or 12345-12354');
    const from = Number(first);
    const to = Number(last ?? first);
    if (to < from || to - from >= 1000)
      throw new InvalidArgumentError('expected an ascending range of at most 1,000 seeds');
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
  return [...new Set(found)];
}

/** A comma-separated list of known names. */
export function names<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return (text) =>
    text.split(',').map((part) => {
      const name = known.find((candidate) => candidate === part.trim());
      if (name === undefined) throw new InvalidArgumentError(`expected some of ${known.join(', ')}`);
      return name;
    });
}

/** A comma-separated list of column names, which are taken as they stand. */
export function columns(text: string): string[] {
  return text.split(',');
}

/** A number above 0 and at most 1. */
export function fraction(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1) || text.trim() === '')
    throw new InvalidArgumentError('expected a number above 0 and at most 1');
  return value;
}

/** For options that may be given several times. */
export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** A number of at least `least`. */
export function number(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value >= least && value < Number.POSITIVE_INFINITY) || text.trim() === '')
      throw new InvalidArgumentError(`expected a number of at least ${least}`);
    return value;
  };
}

import { createRng, RedefError } from '@redef/core';

export interface Stratum {
  name: string;
  population: number;
  sampled: number;
}

export interface Sample {
  ids: ReadonlySet<string>;
  /** In code-unit order of their names. */
  strata: Stratum[];
}

/**
 * A stratified random sample with proportional allocation: each stratum gets its share of `size`, the largest
 * remainders are rounded up (ties by name), and within a stratum every subset is equally likely. Depends on the seed
 * and on the set of ids, not on their order.
 *
 * @throws `RedefError` `sample-too-large`
 */
export function drawSample(
  population: readonly { id: string; stratum: string }[],
  { size, seed }: { size: number; seed: number | string },
): Sample {
  if (!Number.isInteger(size) || size < 1 || size > population.length) {
    throw new RedefError(`A sample of ${size} was asked for out of ${population.length}`, {
      code: 'sample-too-large',
      remedy: `Ask for 1 to ${population.length}.`,
    });
  }
  const groups = new Map<string, string[]>();
  for (const { id, stratum } of population) {
    const group = groups.get(stratum);
    if (group) group.push(id);
    else groups.set(stratum, [id]);
  }
  const names = [...groups.keys()].sort(byCodeUnit);
  const shares = names.map((name) => (groups.get(name)!.length * size) / population.length);
  const counts = shares.map(Math.floor);
  const left = size - counts.reduce((sum, count) => sum + count, 0);
  const byRemainder = names.map((_, index) => index).sort((a, b) => (shares[b]! % 1) - (shares[a]! % 1) || a - b);
  for (const index of byRemainder.slice(0, left)) counts[index]!++;

  const rng = createRng(seed).fork('audit-sample');
  const ids = new Set<string>();
  const strata = names.map((name, index) => {
    const members = groups.get(name)!.sort(byCodeUnit);
    const sampled = counts[index]!;
    for (const id of rng.fork(name).shuffle(members).slice(0, sampled)) ids.add(id);
    return { name, population: members.length, sampled };
  });
  return { ids, strata };
}

const byCodeUnit = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

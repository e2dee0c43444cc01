import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRng } from './rng.js';

// Golden values: a change here changes every seeded result that anyone has published.
test('a seed gives the same numbers for ever', () => {
  const rng = createRng(12345);
  expect([rng.next(), rng.next(), rng.integer(1000), rng.normal()]).toMatchInlineSnapshot(`
    [
      0.7421812044815134,
      0.5385417791776215,
      551,
      0.31862712062991727,
    ]
  `);
});

test('a fork depends on seed and label, not on how far its parent has run', () => {
  const fresh = createRng(1).fork('bootstrap').next();
  const used = createRng(1);
  for (let i = 0; i < 100; i++) used.next();
  expect(used.fork('bootstrap').next()).toBe(fresh);
  expect(used.fork('other').next()).not.toBe(fresh);
  expect(used.fork(1).next()).not.toBe(used.fork('1').next());
  expect(createRng('1').fork('a').fork('b').next()).not.toBe(createRng('1').fork('a/b').next());
});

test('next is uniform in [0, 1): chi-squared over 20 bins stays under its 0.999 quantile', () => {
  const rng = createRng('uniform');
  const bins = new Array<number>(20).fill(0);
  const draws = 100_000;
  for (let i = 0; i < draws; i++) bins[Math.floor(rng.next() * 20)]! += 1;
  const chiSquared = bins.reduce((sum, count) => sum + (count - draws / 20) ** 2 / (draws / 20), 0);
  expect(chiSquared).toBeLessThan(43.82);
});

test('normal has mean 0 and variance 1 to within five standard errors', () => {
  const rng = createRng('normal');
  const draws = Array.from({ length: 100_000 }, () => rng.normal());
  const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
  const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
  expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(draws.length));
  expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(2 / draws.length));
});

test('integer stays below its bound and shuffle is a permutation that leaves its input alone', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 2 ** 53 - 1 }),
      fc.array(fc.integer()),
      (seed, bound, items) => {
        const rng = createRng(seed);
        const drawn = rng.integer(bound);
        expect(Number.isInteger(drawn) && drawn >= 0 && drawn < bound).toBe(true);
        const before = [...items];
        const shuffled = rng.shuffle(items);
        expect(items).toEqual(before);
        expect([...shuffled].sort()).toEqual([...items].sort());
      },
    ),
  );
});

test('shuffle reaches every order of three items equally often', () => {
  const rng = createRng('orders');
  const seen = new Map<string, number>();
  for (let i = 0; i < 60_000; i++) {
    const order = rng.shuffle([1, 2, 3]).join('');
    seen.set(order, (seen.get(order) ?? 0) + 1);
  }
  expect(seen.size).toBe(6);
  for (const count of seen.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test('refuses a seed, a label and a bound that are none', () => {
  const rng = createRng(1);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, null, {}, 1n, true] as unknown[] as number[]) {
    expect(() => createRng(value)).toThrow(
      /^a seed must be a text or a finite number, got (NaN|Infinity|null|a value)/,
    );
    expect(() => rng.fork(value)).toThrow(/^a label must be/);
  }
  for (const bound of [0, -1, 1.5, Number.NaN, 2 ** 54, undefined, '5'] as number[]) {
    expect(() => rng.integer(bound)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  }
  expect(rng.integer(1)).toBe(0);
  expect(rng.integer(2 ** 53)).toBeLessThan(2 ** 53);
  expect(createRng(-0.5).next()).not.toBe(createRng('').next());
});

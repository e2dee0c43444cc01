import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cohenKappa, fleissKappa, wilsonInterval } from './agreement.js';

const golden = JSON.parse(readFileSync(new URL('../test/fixtures/agreement.json', import.meta.url), 'utf8')) as {
  fleiss: { counts: number[][]; kappa: number }[];
  cohen: { table: number[][]; kappa: number }[];
  wilson: { successes: number; trials: number; low: number; high: number }[];
};

describe('golden values of statsmodels and scikit-learn', () => {
  test.each(golden.fleiss)("Fleiss' kappa %#", ({ counts, kappa }) => {
    expect(fleissKappa(counts.map((row) => ({ counts: row, items: 1 })))).toBeCloseTo(kappa, 12);
  });
  test.each(golden.cohen)("Cohen's kappa %#", ({ table, kappa }) => {
    expect(cohenKappa(table)).toBeCloseTo(kappa, 12);
  });
  test.each(golden.wilson)('Wilson interval of $successes in $trials', ({ successes, trials, low, high }) => {
    const interval = wilsonInterval(successes, trials)!;
    expect(interval.low).toBeCloseTo(low, 12);
    expect(interval.high).toBeCloseTo(high, 12);
  });
});

test("the paper's 92 of 100 gives 0.85 to 0.96", () => {
  const { low, high } = wilsonInterval(92, 100)!;
  expect([low.toFixed(2), high.toFixed(2)]).toEqual(['0.85', '0.96']);
});

test('undefined figures are null, not a number', () => {
  expect(fleissKappa([])).toBeNull();
  expect(fleissKappa([{ counts: [3, 0, 0], items: 5 }])).toBeNull();
  expect(fleissKappa([{ counts: [1, 0, 0], items: 5 }])).toBeNull();
  expect(
    cohenKappa([
      [0, 0],
      [0, 0],
    ]),
  ).toBeNull();
  expect(
    cohenKappa([
      [4, 0],
      [0, 0],
    ]),
  ).toBeNull();
  expect(wilsonInterval(0, 0)).toBeNull();
});

test('grouping equal items changes nothing', () => {
  const row = fc.tuple(fc.nat(3), fc.nat(3)).filter(([a, b]) => a + b <= 3);
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), (rows) => {
      const single = rows.map(([a, b]) => ({ counts: [a, b, 3 - a - b], items: 1 }));
      const doubled = single.map((one) => ({ ...one, items: 2 }));
      const apart = fleissKappa([...single, ...single]);
      const together = fleissKappa(doubled);
      if (apart === null) expect(together).toBeNull();
      else expect(together).toBeCloseTo(apart, 12);
    }),
  );
});

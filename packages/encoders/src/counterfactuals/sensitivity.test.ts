import { describe, expect, it } from 'vitest';
import { type ScorePair, sensitivityOf } from './sensitivity.js';

const pair = (
  id: string,
  counterfactual: string,
  effect: ScorePair['effect'],
  original: number,
  perturbed: number,
) => ({
  id,
  counterfactual,
  effect,
  original,
  perturbed,
});

describe('sensitivityOf', () => {
  it('sets what moves with meaning against what moves with form', () => {
    const result = sensitivityOf([
      pair('a', 'null-edit', 'meaning', 0.75, 0.25),
      pair('b', 'null-edit', 'meaning', 0.25, 0.25),
      pair('a', 'reformatted', 'form', 0.75, 0.5),
      pair('b', 'reformatted', 'form', 0.25, 0.5),
      pair('a', 'inverse-change', 'meaning', 0.75, 0.5),
    ]);
    expect(result.byCounterfactual).toEqual({
      'inverse-change': { pairs: 1, flipRate: 0, meanShift: 0.25 },
      'null-edit': { pairs: 2, flipRate: 0.5, meanShift: 0.25 },
      reformatted: { pairs: 2, flipRate: 0.5, meanShift: 0.25 },
    });
    expect(Object.keys(result.byCounterfactual)).toEqual(['inverse-change', 'null-edit', 'reformatted']);
    expect(result.meaning).toEqual({ pairs: 3, flipRate: 1 / 3, meanShift: 0.25 });
    expect(result.form).toEqual({ pairs: 2, flipRate: 0.5, meanShift: 0.25 });
    expect(result.flipGap).toBeCloseTo(-1 / 6);
    expect(result.shiftGap).toBe(0);
    // a: (0.5 > 0.25) and (0.25 = 0.25) -> 0.75; b: (0 < 0.25) -> 0
    expect(result.discrimination).toBe(0.375);
  });

  it('is 1 for a model that reads meaning alone, 0.5 for one that reads nothing, absent without pairs', () => {
    const scores = (shift: number): ScorePair[] =>
      ['a', 'b', 'c'].flatMap((id) => [
        pair(id, 'null-edit', 'meaning', 0.9, 0.9 - shift),
        pair(id, 'reformatted', 'form', 0.9, 0.9),
      ]);
    expect(sensitivityOf(scores(0.6))).toMatchObject({ discrimination: 1, flipGap: 1 });
    expect(sensitivityOf(scores(0))).toMatchObject({ discrimination: 0.5, flipGap: 0, shiftGap: 0 });
    expect(sensitivityOf([]).discrimination).toBeUndefined();
  });

  it('refuses what is no probability', () => {
    expect(() => sensitivityOf([pair('a', 'x', 'form', 1.5, 0)])).toThrow(/a, x: expected a probability/);
    expect(() => sensitivityOf([pair('a', 'x', 'form', 0, Number.NaN)])).toThrow(/probability/);
    for (const score of [null, [0.5], true, '0.5', 1n] as unknown as number[]) {
      expect(() => sensitivityOf([pair('a', 'x', 'form', score, 0)])).toThrow(/a, x: expected a probability/);
    }
    for (const threshold of [Number.NaN, -1, 2, null as unknown as number]) {
      expect(() => sensitivityOf([], { threshold })).toThrow(/threshold: expected a probability/);
    }
    expect(() => sensitivityOf([pair('a', 'x', 'oops' as 'form', 0, 0)])).toThrow(
      'a, x: effect must be meaning or form, got "oops"',
    );
  });
});

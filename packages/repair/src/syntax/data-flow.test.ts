import { afterAll, beforeAll, expect, test } from 'vitest';
import golden from '../../test/fixtures/data-flow.json' with { type: 'json' };
import { codeBleu } from '../score/code-bleu.js';
import { type CSyntax, createCSyntax } from './c-syntax.js';

let syntax: CSyntax;
beforeAll(async () => {
  syntax = await createCSyntax();
});
afterAll(() => syntax.close());

test.each(golden.map((each, index) => [index, each] as const))(
  'syntax and data-flow match equal to those of the package codebleu (case %i)',
  (_index, { pairs, ...expected }) => {
    const scores = codeBleu(
      pairs.map(([candidate, reference]) => ({ candidate: candidate!, reference: reference! })),
      syntax,
    );
    expect(scores.syntax).toBeCloseTo(expected.syntax, 12);
    expect(scores.dataFlow).toBeCloseTo(expected.dataFlow, 12);
    const parts = [scores.ngram, scores.weightedNgram, scores.syntax!, scores.dataFlow!];
    expect(scores.score).toBeCloseTo(parts.reduce((sum, part) => sum + part, 0) / 4, 12);
  },
);

test('edges say what a variable is made of, whatever the names', () => {
  expect(syntax.dataFlow('void f ( int a ) { int b ; b = a + 1 ; }')).toEqual([
    '0 comesFrom ', // a
    '2 computedFrom 0 1', // b, from a and the number
    '0 comesFrom 0',
    '1 comesFrom ',
  ]);
  expect(syntax.dataFlow('x = y')).toEqual(syntax.dataFlow('left = right'));
  expect(syntax.dataFlow('')).toEqual([]);
});

test('a text that would take for ever gives nothing', () => {
  expect(syntax.dataFlow(`${'while ( a ) '.repeat(40)}a = b ;`)).toEqual([]);
  expect(syntax.dataFlow(`a = ${'( '.repeat(5000)} b ${') '.repeat(5000)};`)).toEqual([]);
});

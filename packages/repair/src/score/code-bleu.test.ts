import { expect, test } from 'vitest';
import golden from '../../test/fixtures/code-bleu.json' with { type: 'json' };
import { createCSyntax } from '../syntax.js';
import { codeBleu } from './code-bleu.js';

test.each(golden.map((each, i) => [i, each] as const))(
  'n-gram components equal to the CodeXGLUE evaluator (case %i)',
  (_i, { pairs, ...expected }) => {
    const { ngram, weightedNgram, syntax } = codeBleu(
      pairs.map(([candidate, reference]) => ({ candidate: candidate!, reference: reference! })),
    );
    expect(Math.abs(ngram - expected.ngram)).toBeLessThan(1e-12);
    expect(Math.abs(weightedNgram - expected.weightedNgram)).toBeLessThan(1e-12);
    expect(syntax).toBeUndefined();
  },
);

test('the syntax component is the share of the reference subtrees that the candidate has', async () => {
  const syntax = await createCSyntax();
  const { subtrees } = syntax;
  const reference = 'int f ( int a ) { return a + 1 ; }';
  const same = codeBleu([{ candidate: 'char g ( int x ) { return y + 2 ; }', reference }], { subtrees });
  expect(same.syntax).toBe(1); // names and numbers are leaves
  // Of the reference's 8 trees with children, those that hold the return statement are not in the candidate.
  const other = codeBleu([{ candidate: 'int f ( int a ) { g ( ) ; }', reference }], { subtrees });
  expect(subtrees(reference)).toHaveLength(8);
  expect(other.syntax).toBe(3 / 8);
  expect(codeBleu([], { subtrees })).toEqual({ ngram: 0, weightedNgram: 0, syntax: 0 });
  syntax.close();
});

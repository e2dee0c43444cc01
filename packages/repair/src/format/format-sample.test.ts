import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { formatSample, statementLines } from './format-sample.js';
import { splitTokens } from './special-tokens.js';

const format = (before: string, after: string, options = {}) =>
  formatSample(splitTokens(before), splitTokens(after), options);
const S = '<S2SV_ModStart>';
const E = '<S2SV_ModEnd>';
const N = '<S2SV_null>';

test('a replacement has context on both sides', () => {
  expect(format('f ( ) { a = b ; c ( ) ; }', 'f ( ) { a = x y ; c ( ) ; }', { cwe: 'CWE-787' })).toEqual({
    source: 'CWE-787 f ( ) { <S2SV_StartBug> a = b ; <S2SV_EndBug> c ( ) ; }',
    target: `${S} { a = x y ${E} ; c (`,
  });
});

test('a deletion is a replacement by nothing', () => {
  expect(format('f ( ) { a ; b ; }', 'f ( ) { b ; }').target).toBe(`${S} ( ) { ${E} b ; }`);
});

test('an insertion has neither an end nor context after it, and marks the line it stands before', () => {
  expect(format('f ( ) { a ; b ; }', 'f ( ) { a ; new ( ) ; b ; }')).toEqual({
    source: 'CWE-000 f ( ) { a ; <S2SV_StartBug> b ; <S2SV_EndBug> }',
    target: `${S} { a ; new ( ) ;`,
  });
});

test('context past the first and the last token is null', () => {
  expect(format('a b', 'x b').target).toBe(`${S} ${N} ${N} ${N} x ${E} b ${N} ${N}`);
  expect(format('a b', 'a b c').target).toBe(`${S} ${N} a b c`);
  expect(format('a b', 'a').target).toBe(`${S} ${N} ${N} a ${E} ${N} ${N} ${N}`);
});

test('edits closer than the context are one hunk, edits exactly that far apart are two', () => {
  expect(format('p a 1 2 b q r s', 'p x 1 2 y q r s').target).toBe(`${S} ${N} ${N} p x 1 2 y ${E} q r s`);
  expect(format('p a 1 2 3 b q r s', 'p x 1 2 3 y q r s').target).toBe(
    `${S} ${N} ${N} p x ${E} 1 2 3 ${S} 1 2 3 y ${E} q r s`,
  );
});

test('two insertions close together become a replacement, since kept tokens lie between', () => {
  expect(format('a b c d e f', 'a b c x d y e f').target).toBe(`${S} a b c x d y ${E} e f ${N}`);
});

test('each line where an edit starts is one region; a deletion over several lines marks the first', () => {
  const before = 'a = 1 ; b = 2 ; c = 3 ; d = 4 ;';
  expect(format('{ b x , c y ; d z , e w ; f }', '{ f }').source).toBe(
    'CWE-000 { <S2SV_StartBug> b x , c y ; <S2SV_EndBug> d z , e w ; f }',
  );
  const lines = [
    { start: 0, end: 8 },
    { start: 8, end: 16 },
  ];
  expect(format(before, 'a = 9 ; b = 8 ; c = 3 ; d = 4 ;', { lines }).source).toBe(
    'CWE-000 <S2SV_StartBug> a = 1 ; b = 2 ; <S2SV_EndBug> c = 3 ; d = 4 ;',
  );
});

test('context 10 is an option', () => {
  expect(format('f ( ) { a = b ; }', 'f ( ) { a = c ; }', { contextTokens: 10 }).target).toBe(
    `${S} ${[N, N, N, N]} f ( ) { a = c ${E} ; } ${[N, N, N, N, N, N, N, N]}`.replaceAll(',', ' '),
  );
});

test('equal functions have no region and an empty target', () => {
  expect(format('f ( ) { }', 'f ( ) { }', { cwe: 'CWE-20' })).toEqual({ source: 'CWE-20 f ( ) { }', target: '' });
});

test('a marker, an empty token or white space in the code is refused', () => {
  for (const bad of ['<S2SV_null>', '<S2SV_ModEnd>', '', 'a b']) {
    const error = (() => {
      try {
        formatSample(['a'], ['a', bad]);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(RedefError.isInstance(error) && [error.code, error.disposition]).toEqual(['reserved-token', 'skip']);
  }
  expect(() => format('a', 'b', { contextTokens: 0 })).toThrow('contextTokens must be an integer of at least 1');
});

test('statement lines cover the tokens and do not break a for header', () => {
  const tokens = splitTokens('void f ( ) { for ( i = 0 ; i < n ; i ++ ) { a ; } } x');
  const lines = statementLines(tokens).map(({ start, end }) => tokens.slice(start, end).join(' '));
  expect(lines).toEqual(['void f ( ) {', 'for ( i = 0 ; i < n ; i ++ ) {', 'a ;', '}', '}', 'x']);
});

import { RedefError } from '@redef/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitTokens } from '../format/special-tokens.js';
import { type CSyntax, createCSyntax } from './c-syntax.js';

let syntax: CSyntax;
beforeAll(async () => {
  syntax = await createCSyntax();
});
afterAll(() => syntax.close());

test.each([
  ['int f(void) { return 1; }', 0],
  ['int f(void) { return 1 }', 1],
  ['int f(void) { if (a { b(); } }', 1],
  ['', 0],
])('counts the errors of %j', (code, errors) => {
  expect(syntax.countErrors(code)).toBe(errors);
});

test('compares a function before and after its patch, directives and spelled literals included', () => {
  const before = splitTokens('int f ( ) { # ifdef X a ( "b<S2SV_blank>\\\\n" ) ; # endif return 0 ; }');
  expect(syntax.check(before, before)).toEqual({ valid: true, errorsBefore: 0, errorsAfter: 0 });
  expect(syntax.check(before, splitTokens('int f ( ) { return ; ) }'))).toMatchObject({
    valid: false,
    errorsBefore: 0,
  });
});

test('a grammar that is none is named', async () => {
  const error = await createCSyntax(new Uint8Array([1, 2, 3])).catch((thrown: unknown) => thrown);
  expect(RedefError.isInstance(error) && error.code).toBe('invalid-grammar');
});

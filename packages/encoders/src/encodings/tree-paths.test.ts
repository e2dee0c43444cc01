import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyChange, realChanges } from '../../test/changes.js';
import type { ChangeText } from '../layout.js';
import { createLexicalTokenizer } from '../tokenizers/lexical-tokenizer.js';
import type { Encoding } from './encoding.js';
import { loadSyntaxParser } from './syntax-parser.js';
import { treePaths } from './tree-paths.js';

const tokenizer = createLexicalTokenizer();

describe('tree-paths', () => {
  let encoding: Encoding;
  beforeAll(async () => {
    const [parser, cppParser] = [await loadSyntaxParser(), await loadSyntaxParser('cpp')];
    encoding = treePaths({ parser, cppParser });
  });

  it('refuses bytes that are no grammar', async () => {
    await expect(loadSyntaxParser(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'invalid-grammar' });
  });

  it('shows each changed node with its path', () => {
    const change = {
      id: '00',
      function_before: 'int f(int a)\n{\n  if (a < 2)\n    g(a);\n  return a;\n}',
      function_after: 'int f(int a)\n{\n\tif (a <= 3) g(a,\n b);\n  return a;\n}',
    };
    const { text, ...encoded } = encoding.encode(change, { tokenizer, maxTokens: 512 });
    expect(text.split('\n')).toEqual([
      '<DEL>function_definition/compound_statement/if_statement/parenthesized_expression/binary_expression: < 2',
      '<ADD>function_definition/compound_statement/if_statement/parenthesized_expression/binary_expression: <= 3',
      '<ADD>function_definition/compound_statement/if_statement/expression_statement/call_expression/argument_list: , b',
    ]);
    expect(encoded).toMatchObject({ changedLines: 3, changedLinesShown: 3, changedLinesKept: 3, tokensLost: 0 });
    expect(encoding.recover(text)).toEqual({ before: '< 2', after: '<= 3\n, b' });
  });

  it('reads C++ by its own grammar where the change says so', () => {
    const change = {
      id: '00',
      function_before: 'void A::f()\n{\n  for (auto &x : v)\n    g(x);\n}',
      function_after: 'void A::f()\n{\n  for (auto &x : w)\n    g(x);\n}',
    };
    const shown = (language?: 'c' | 'cpp'): string =>
      encoding.encode({ ...change, ...(language && { language }) }, { tokenizer, maxTokens: 512 }).text;
    const path = 'function_definition/compound_statement/for_range_loop: ';
    expect(shown('cpp')).toBe(`<DEL>${path}v\n<ADD>${path}w`);
    expect(shown('c')).not.toContain('for_range_loop');
    expect(shown()).toBe(shown('c'));
  });

  it('parses marks in the source as the source has them, and escapes what it shows', () => {
    const shown = (function_before: string, function_after: string) => {
      const change = { id: '00', function_before, function_after, language: 'cpp' as const };
      const { text, escapedMarks } = encoding.encode(change, { tokenizer, maxTokens: 512 });
      return { text, escapedMarks, ...encoding.recover(text) };
    };
    const call = (name: string) => `int f(int x)\n{\n  return apply<${name}>(x, 1);\n}`;
    const path =
      'function_definition/compound_statement/return_statement/call_expression/template_function/template_argument_list/type_descriptor';
    const { text, ...rest } = shown(call('SUB'), call('ADD'));
    expect(text).toBe(shown(call('SUB'), call('AXD')).text.replace('AXD', 'ADD'));
    expect(text).toContain(`<ADD>${path}: ADD`);
    expect(rest).toEqual({ escapedMarks: 1, before: 'SUB', after: 'ADD' });
    const say = (words: string) => `void f(void)\n{\n  puts("${words}");\n}`;
    expect(shown(say('a'), say('<ADD>: x'))).toMatchObject({ before: 'a', after: '<ADD>: x' });
  });

  it('takes any text, keeps its budget and finds nothing where nothing but white space changed', () => {
    const holds = (change: ChangeText): void => {
      const { inputIds } = encoding.encode(change, { tokenizer, maxTokens: 64 });
      expect(inputIds.length).toBeLessThanOrEqual(64);
      const same = { ...change, function_after: change.function_before };
      expect(encoding.encode(same, { tokenizer, maxTokens: 64 }).text).toBe('');
    };
    fc.assert(fc.property(anyChange, holds), { numRuns: 500 });
    for (const change of realChanges().filter((_, i) => i % 50 === 0)) holds(change);
    const deep = { id: '00', function_before: `f(${'('.repeat(20_000)}`, function_after: `f(${'('.repeat(20_001)}` };
    holds(deep);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSpelling, spellToken } from './spelling.js';
import { tokenizeC } from './tokenize-c.js';

const split = (text: string) => tokenizeC(text).map(({ text }) => text);

test.each([
  ['a->b++ <<= c...', ['a', '->', 'b', '++', '<<=', 'c', '...']],
  ['x=-1.5e-3f+0xFFul;', ['x', '=', '-', '1.5e-3f', '+', '0xFFul', ';']],
  ['"a \\" b" \'\\\'\' L"w" u8"x"', ['"a \\" b"', "'\\''", 'L"w"', 'u8"x"']],
  ['a /* b " */ c // d "\ne', ['a', 'c', 'e']],
  ['a // b \\\n c\nd', ['a', 'd']],
  ['R"x(a)"b)x" c', ['R"x(a)"b)x"', 'c']],
  ['#ifdef A\nf();\n#endif', ['#', 'ifdef', 'A', 'f', '(', ')', ';', '#', 'endif']],
  ['a \\\n b', ['a', 'b']],
  ['"not closed\nb', ['"not closed', 'b']],
  ['a /* not closed', ['a']],
  ['größe @ `', ['größe', '@', '`']],
])('splits %j', (text, tokens) => {
  expect(split(text)).toEqual(tokens);
});

test('tokens know their places, and nothing but white space and comments lies between them', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab1 \n\t"\'/*\\.+-<>=#(){};R'), maxLength: 60 }), (text) => {
      let position = 0;
      for (const { text: token, start, end, line } of tokenizeC(text)) {
        expect(text.slice(start, end)).toBe(token);
        expect(start).toBeGreaterThanOrEqual(position);
        expect(line).toBe(text.slice(0, start).split('\n').length);
        expect(split(text.slice(position, start))).toEqual([]);
        position = end;
      }
      expect(split(text.slice(position))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['"len=%u method"', '"len=%u<S2SV_blank>method"'],
  ['"a\\n"', '"a\\\\n"'],
  ["'\\0'", "'\\\\0'"],
  ['"it\'s"', '"it\\\'s"'],
  ['"tab\there"', '"tab\\there"'],
  ['"\u0001\u00a0\u200b\u{e0001}é"', '"\\x01\\xa0\\u200b\\U000e0001é"'],
])('spells %j as the data does', (token, spelled) => {
  expect(spellToken(token)).toBe(spelled);
  expect(readSpelling(spelled)).toBe(token);
});

test('every token can be read back from its spelling, which has no white space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (token) => {
      const spelled = spellToken(token);
      expect(spelled).not.toMatch(/\s/);
      expect(readSpelling(spelled)).toBe(token);
    }),
  );
});

test('long hostile text takes no more than linear time and no stack', () => {
  for (const part of ['/', '"', '"\\', "1'", '/*', '//\\\n', ' ', 'R"(', '\\\n']) {
    expect(tokenizeC(part.repeat(300_000)).length).toBeLessThanOrEqual(300_000);
  }
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTokenSpans, joinTokens, scanTokens } from './tokens.js';

function tokensOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const spans = createTokenSpans();
  scanTokens(bytes, 0, bytes.length, spans);
  return Array.from({ length: spans.count }, (_none, token) =>
    bytes.subarray(spans.starts[token], spans.ends[token]).toString(),
  );
}

describe('scanTokens', () => {
  test.each<[string, string[]]>([
    ['', []],
    [' \t\n', []],
    ['int f(void){return 0;}', ['int', 'f', '(', 'void', ')', '{', 'return', '0', ';', '}']],
    ['a->b.c::d', ['a', '->', 'b', '.', 'c', '::', 'd']],
    [
      'x>>=1; y<=>z; p->*q; f(...)',
      ['x', '>>=', '1', ';', 'y', '<=>', 'z', ';', 'p', '->*', 'q', ';', 'f', '(', '...', ')'],
    ],
    ['a+++b - -c', ['a', '++', '+', 'b', '-', '-', 'c']],
    ["1e+5 0x1p-3 0x1e+5 1.5f .5 1'000u", ['1e+5', '0x1p-3', '0x1e', '+', '5', '1.5f', '.5', "1'000u"]],
    ['"a // b /* c */ \\" d" x', ['"a // b /* c */ \\" d"', 'x']],
    ["'\\'' 'a' u8\"x\" L'y'", ["'\\''", "'a'", 'u8"x"', "L'y'"]],
    ['R"(a " b)" R"xy(c)" )xy" z', ['R"(a " b)"', 'R"xy(c)" )xy"', 'z']],
    ['a /* b\n c */ d // e\nf', ['a', 'd', 'f']],
    ['a // b \\\n c\nd', ['a', 'd']],
    ['a /* never closed', ['a']],
    ['a // to the end', ['a']],
    ["don't stop", ['don', "'", 't', 'stop']],
    ["it's 'a' b\n'c'", ['it', "'s '", 'a', "'", 'b', "'c'"]],
    ["a ' b \" c ' d", ['a', "' b \" c '", 'd']],
    ['"never closed\nx', ['"', 'never', 'closed', 'x']],
    ['#define A \\\n B ## C', ['#', 'define', 'A', 'B', '##', 'C']],
    ['naïve_名 = 1', ['naïve_名', '=', '1']],
    ['<S2SV_StartBug> x <S2SV_EndBug>', ['<', 'S2SV_StartBug', '>', 'x', '<', 'S2SV_EndBug', '>']],
    ['a\\b', ['a', '\\', 'b']],
    ['FOO"bar"', ['FOO', '"bar"']],
  ])('%j', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens);
  });

  test('takes any text, in order, without loss outside white space and comments', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '1', '"', "'", '/', '*', '\\', '\n', ' ', 'R', '(', ')', '+', '<', 'é', '.'),
        }),
        (text) => {
          const bytes = Buffer.from(text);
          const spans = createTokenSpans();
          scanTokens(bytes, 0, bytes.length, spans);
          let end = 0;
          for (let token = 0; token < spans.count; token++) {
            expect(spans.starts[token]).toBeGreaterThanOrEqual(end);
            expect(spans.ends[token]).toBeGreaterThan(spans.starts[token]!);
            end = spans.ends[token]!;
          }
          expect(end).toBeLessThanOrEqual(bytes.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([`'\\`, `"\\`, 'R"(', 'R"x', '/*', '//\\\n', 'u8"', '<S2SV_StartBug>'])(
    'a megabyte of %j ends, having been looked through once',
    (piece) => {
      const bytes = Buffer.from(piece.repeat(2 ** 20 / piece.length));
      const spans = createTokenSpans();
      scanTokens(bytes, 0, bytes.length, spans);
      expect(spans.count === 0 || spans.ends[spans.count - 1]! <= bytes.length).toBe(true);
    },
  );

  test('more tokens than the spans first hold', () => {
    expect(tokensOf('a;'.repeat(10_000))).toHaveLength(20_000);
  });
});

test('joinTokens writes the tokens with one space between each two, wherever the text lies', () => {
  const piece = fc.constantFrom('int', 'x', '->', '"s s"', '1', '{', '}', '<<=', 'R"(r)"', 'é');
  const gap = fc.constantFrom(' ', '\n', '  ', ' /* c */ ', '\t');
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, gap)), fc.integer({ min: 0, max: 9 }), (parts, offset) => {
      const text = Buffer.from(parts.map(([token, space]) => token + space).join(''));
      const bytes = Buffer.alloc(offset + text.length * 3 + 10);
      text.copy(bytes, offset);
      const end = joinTokens(bytes, offset, offset + text.length, createTokenSpans());
      expect(bytes.subarray(offset, end).toString()).toBe(parts.map(([token]) => token).join(' '));
    }),
  );
});

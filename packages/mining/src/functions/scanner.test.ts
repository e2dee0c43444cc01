import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonEnds } from '../text/common-ends.js';
import { languageOf } from './language.js';
import { scanFunctions } from './scanner.js';
import { doubt } from './scanner-state.js';

const folder = new URL('../../test/fixtures/functions/', import.meta.url);
const fixtures = readdirSync(folder)
  .sort()
  .map((name) => ({ name, lines: readFileSync(new URL(name, folder), 'utf8').split('\n') }));

describe('a scan that goes on from an earlier one', () => {
  const edit = fc.record({
    file: fc.nat(fixtures.length - 1),
    at: fc.nat(200),
    remove: fc.nat(6),
    insert: fc.array(
      fc.constantFrom(
        '}',
        '{',
        '#endif',
        '#if X',
        '#else',
        '#if 0',
        'int added(void) { return 0; }',
        '/*',
        '*/',
        '"',
        '',
        'namespace n {',
        'x;',
        "'",
        '#define M \\',
        'R"(',
      ),
      { maxLength: 4 },
    ),
  });

  test('finds what a scan from the beginning finds, for edits of every kind', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const { name, lines } = fixtures[edits[0]!.file]!;
        let current = [...lines];
        let bytes = Buffer.from(current.join('\n'));
        let scan = scanFunctions(bytes, languageOf(name, bytes));
        for (const { at, remove, insert } of edits) {
          current = [...current];
          current.splice(at % current.length, remove, ...insert);
          const next = Buffer.from(current.join('\n'));
          const language = languageOf(name, bytes);
          const incremental = scanFunctions(next, language, { scan, bytes, ...commonEnds(bytes, next) });
          const whole = scanFunctions(next, language);
          expect(incremental.functions).toEqual(whole.functions);
          expect(incremental.balanced).toBe(whole.balanced);
          [bytes, scan] = [next, incremental];
        }
      }),
      { numRuns: 600, seed: 7 },
    );
  });
});

test('any bytes give functions in order that do not overlap, within the file', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom('c' as const, 'cpp' as const), (data, language) => {
      const bytes = Buffer.from(data);
      let last = 0;
      for (const { start, body, end } of scanFunctions(bytes, language).functions) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(body).toBeGreaterThanOrEqual(start);
        expect(end).toBeGreaterThan(body);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(bytes.length);
    }),
    { seed: 1 },
  );
});

test('a function that is not closed ends at the brace in the first column, and says so', () => {
  const text = 'int f(int a)\n{\n    if (a) {\n        return 1;\n}\n\nint g(int a)\n{\n    return a;\n}\n';
  const { functions, balanced } = scanFunctions(Buffer.from(text), 'c');
  expect(balanced).toBe(false);
  expect(functions.map(({ name, startLine, endLine }) => [name, startLine, endLine])).toEqual([
    ['f', 1, 5],
    ['g', 7, 10],
  ]);
  for (const { doubts } of functions) expect(doubts & doubt.unbalanced).not.toBe(0);
});

test('in a file whose braces do not balance, inner blocks do not end a function, nor braces that belong to a string', () => {
  const text = [
    'int torn(int a)',
    '{',
    '    if (a) {',
    '        return 1;',
    '}',
    '',
    'int nested(int a)',
    '{',
    '    while (a) {',
    '        if (a > 2) {',
    '            a--;',
    '        }',
    '    }',
    '    return a;',
    '}',
    '',
    'static void emit(struct out *o)',
    '{',
    '    TEXT("for (;;) {");',
    '    TOKENS(go(); })',
    '    TOKENS(})',
    '',
    '/* the end */',
    '#ifdef X',
    '    done(o);',
    '#endif',
    '}',
    '',
    'int one(void) { return 1; }',
    'int last(void)',
    '{',
    '    return 2;',
    '}',
    '',
  ].join('\n');
  const { functions, balanced } = scanFunctions(Buffer.from(text), 'c');
  expect(balanced).toBe(false);
  expect(functions.map(({ name, startLine, endLine }) => [name, startLine, endLine])).toEqual([
    ['torn', 1, 5],
    ['nested', 7, 15],
    ['emit', 17, 27],
    ['one', 29, 29],
    ['last', 30, 33],
  ]);
});

test('arms of an #if that leave different braces put their function in doubt', () => {
  const text =
    'int f(int a)\n{\n#ifdef X\n    if (a) {\n#else\n    a++;\n#endif\n    return a;\n#ifdef X\n    }\n#endif\n}\n';
  const [span] = scanFunctions(Buffer.from(text), 'c').functions;
  expect(span).toMatchObject({ name: 'f', endLine: 12, doubts: doubt.conditional });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange } from '../../test/changes.js';
import { lexemesOf } from './lexemes.js';
import { localNames } from './local-names.js';

describe('lexemesOf', () => {
  it('loses nothing', () => {
    const text = fc.oneof(
      anyChange.map(({ function_after }) => function_after),
      fc
        .array(fc.constantFrom('/*', '*/', '//', '"', "'", '\\', '\n', 'R"x(', ')x"', 'a', ' ', '->', '1e+5', '#'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (any) => {
        const lexemes = lexemesOf(any);
        expect(lexemes.map((lexeme) => lexeme.text).join('')).toBe(any);
        expect(lexemes.every((lexeme) => lexeme.text !== '')).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('tells comments, literals and names apart', () => {
    const kinds = lexemesOf('x = "a // b" /* c " */ + L\'\\\'\' + R"(x")y)" + u8"z"; // tail \\\n more\n1\'000ul;')
      .filter(({ kind }) => kind !== 'space' && kind !== 'other')
      .map(({ kind, text }) => [kind, text]);
    expect(kinds).toEqual([
      ['identifier', 'x'],
      ['literal', '"a // b"'],
      ['comment', '/* c " */'],
      ['literal', "L'\\''"],
      ['literal', 'R"(x")y)"'],
      ['literal', 'u8"z"'],
      ['comment', '// tail \\\n more'],
      ['number', "1'000ul"],
    ]);
  });

  it('takes a literal, comment or name of ten million characters', () => {
    for (const text of [
      `"${'x'.repeat(1e7)}"`,
      `"${'\\x'.repeat(5e6)}`,
      'x'.repeat(1e7),
      '1'.repeat(1e7),
      `/*${'*'.repeat(1e7)}`,
      `//${'x'.repeat(1e7)}`,
      `//${'\\\n'.repeat(5e6)}`,
      ' '.repeat(1e7),
      '\\'.repeat(1e6),
    ]) {
      expect(lexemesOf(text).reduce((length, lexeme) => length + lexeme.text.length, 0)).toBe(text.length);
    }
  });
});

describe('localNames', () => {
  const namesIn = (text: string): string[] => [...localNames([lexemesOf(text)])].sort();

  it('finds parameters and local variables', () => {
    expect(
      namesIn(`static int f(const struct dev *dev, unsigned long flags, T &&t, char buf[10]) {
        size_t len = strlen(buf), more;
        std::vector<int> v;
        for (int i = 0; i < 3; i++) { char *p; dev->len = len; }
        for (auto &item : v) use(item);
        return len * flags;
      }`),
    ).toEqual(['buf', 'flags', 'i', 'item', 'len', 'p', 't', 'v']);
  });

  it('leaves out what is used as something else', () => {
    expect(namesIn('int f(int g) { int out = g(1); goto out; out: return a * b; }')).toEqual([]);
    expect(namesIn('void f() { struct s { int a; } x; x.a = 1; return; }')).toEqual([]);
    expect(namesIn('void f() { x = y; a(b * c); delete p; return z; typedef int I; extern int e; }')).toEqual([]);
  });

  it('leaves out what another version of the function uses as something else', () => {
    const versions = ['int f(int g) { return g; }', 'int f(int h) { return g(h); }'].map(lexemesOf);
    expect([...localNames(versions)]).toEqual(['h']);
  });
});

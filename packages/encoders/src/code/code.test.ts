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

  it('keeps a name whole, whatever its letters', () => {
    for (const name of ['größe', 'число', '変数', 'e\u0301t', '_x1', '$a', 'ﬁ']) {
      expect(lexemesOf(`${name}=1`).map(({ text }) => text)).toEqual([name, '=', '1']);
    }
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

  const none = (text: string): void => expect(namesIn(text)).toEqual([]);

  it('leaves out what is used as something else', () => {
    none('int f(int g) { int out = g(1); goto out; out: return a * b; }');
    none('void f() { int out = 1; if (out) return; out: g(); }');
    none('void f() { int out = 1; switch (out) { default: out: g(); } }');
    none('void f() { struct s { int a; } x; x.a = 1; return; }');
    none('void f() { x = y; a(b * c); delete p; return z; typedef int I; extern int e; co_return t; }');
    none('struct s f(struct s *s) { return *s; }');
  });

  it('leaves out expressions that read like a declaration', () => {
    none('void f() { std::cout << count; in >> count; out << a > b; }');
    none('bool operator=(const T &) { bool operator bool = 1; int unsigned; unsigned long = 3; auto decltype, y; }');
    none('a{a}');
  });

  it('leaves out a name that some place uses without its declaration', () => {
    none('void f() { n = 1; int n = 2; }');
    none('void f() { { int n = 2; } g(n); }');
    none('void C::f() { if (n) { int n = 2; } }');
    expect(namesIn('void f() { { int n = 2; } { int n = 3; g(n); } }')).toEqual(['n']);
  });

  it('leaves out what directives, asm templates and macros of members name', () => {
    none('int f(int n)\n{\n#ifdef n\n  return n;\n  # define m \\\n k\n#endif\n  int k = 1;\n}');
    none('int f(int src) { asm("mov %[src], %0" : : [src] "r" (src)); return a["x"]; }');
    none('void f(int list) { p = container_of(q, struct s, list); list_for_each_entry(a, b, list) g(a); }');
    none('void f(int list) { p = data(q, struct s, list); r = data(q, s_t, list); }');
    expect(namesIn('void f(int n) { int *p = q; x = a[n] + f("n"); y = p->*n; p->p = (struct s){ .n = n }; }')).toEqual(
      ['n', 'p'],
    );
  });

  it('leaves out what another version of the function uses as something else', () => {
    const versions = ['int f(int g) { return g; }', 'int f(int h) { return g(h); }'].map(lexemesOf);
    expect([...localNames(versions)]).toEqual(['h']);
    const moved = ['int f(int n) { return n; }', 'int f() { return n; }'].map(lexemesOf);
    expect([...localNames(moved)]).toEqual([]);
  });
});

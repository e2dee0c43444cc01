import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchingDiff } from '../format/matching-diff.js';
import { applyToFunction } from './apply-to-function.js';
import { formatFunction } from './format-function.js';
import { formatSource } from './format-source.js';
import { patchText } from './patch-text.js';
import { tokenizeC } from './tokenize-c.js';

const texts = (text: string) => tokenizeC(text).map(({ text }) => text);
/** `before` with the tokens of `after`, in before's own layout. */
const patched = (before: string, after: string) => patchText(before, matchingDiff(texts(before), texts(after)));

const before = `static int copy(struct dev *d, const char *name)
{
	char buf[16];
	size_t n = strlen(name);	// not the size

	/* copy it */
	strcpy(buf, name);
	if (d->flags & DEV_UP)	/* it's "up" */
		log("set %s\\n", name);
	return 0;
}
`;

test('an inserted statement gets a line of its own, indented like its neighbour', () => {
  expect(patched(before, before.replace('strcpy', 'if (n >= sizeof(buf)) { return -EINVAL; } strcpy'))).toBe(
    before.replace('// not the size\n', '// not the size\n\tif (n >= sizeof(buf)) {\n\t\treturn -EINVAL;\n\t}\n'),
  );
});

test('a replacement within a line leaves the rest of it alone', () => {
  expect(patched(before, before.replace('DEV_UP', '(DEV_UP | DEV_RUN)'))).toBe(
    before.replace('DEV_UP', '(DEV_UP | DEV_RUN)'),
  );
  expect(patched(before, before.replace('name);\n\tif', 'name, sizeof(buf) - 1);\n\tif'))).toBe(
    before.replace('strcpy(buf, name)', 'strcpy(buf, name, sizeof(buf) - 1)'),
  );
});

test('a deleted line goes with its line break; within a line the blanks go too', () => {
  expect(patched(before, before.replace('strcpy(buf, name);', ''))).toBe(before.replace('\tstrcpy(buf, name);\n', ''));
  expect(patched('int f(int a, int b) { return a; }', 'int f(int a) { return a; }')).toBe('int f(int a) { return a; }');
});

test('statements go between statements, wherever the tokens would also give the same', () => {
  const edit = { start: 6, end: 6, tokens: [';', 'b', '(', ')'] };
  expect(patchText('int x; /* one */\n\ta ( ) ;\nc();\n', [edit])).toBe('int x; /* one */\n\ta ( ) ;\nb();\nc();\n');
  const deletion = { start: 3, end: 7, tokens: [] };
  expect(patchText('a();\n/* two */\nb();\nc();\n', [deletion])).toBe('a();\n/* two */\nc();\n');
});

test('neighbours that would run together are kept apart', () => {
  expect(patched('a->b', 'a b')).toBe('a b');
  expect(patched('x=a;', 'x=a++ + ++b;')).toBe('x=a++ + ++b;');
});

test('a star after a type is a pointer, between values a product', () => {
  expect(
    patched('{\n\ta();\n}', '{ struct s * p ; t * q , * r = ( u * ) b ; x = c * d ; f ( e * g , - h ) ; a ( ) ; }'),
  ).toBe('{\n\tstruct s *p;\n\tt *q, *r = (u *) b;\n\tx = c * d;\n\tf(e * g, -h);\n\ta();\n}');
});

test('directives stand on lines of their own', () => {
  expect(
    patched('void f(void)\n{\n\ta();\n}\n', 'void f(void)\n{\n\ta();\n#if defined(X) && Y > 2\n b();\n#endif\n}\n'),
  ).toBe('void f(void)\n{\n\ta();\n#if defined(X) && Y > 2\n\tb();\n#endif\n}\n');
});

test('line breaks stay CR LF where the text has them', () => {
  const text = 'f()\r\n{\r\n  a();\r\n}\r\n';
  expect(patched(text, 'f() { b(); a(); }')).toBe('f()\r\n{\r\n  b();\r\n  a();\r\n}\r\n');
});

const code = fc
  .array(
    fc.constantFrom(
      'a',
      'b1',
      '1',
      '"s t"',
      "'c'",
      '+',
      '-',
      '->',
      '(',
      ')',
      '{',
      '}',
      ';',
      ',',
      '#',
      'if',
      '/* k */',
      '// k\n',
      '\n',
      '\t',
      ' ',
      '\\\n',
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(' '));

test('the patched text has exactly the tokens asked for, whatever the layout', () => {
  fc.assert(
    fc.property(code, code, (before, after) => {
      expect(texts(patched(before, after))).toEqual(texts(after));
    }),
    { numRuns: 2000 },
  );
});

test('formatting a pair and applying its target gives the tokens of the second function', () => {
  fc.assert(
    fc.property(code, code, (before, after) => {
      const { source, target, patch } = formatFunction(before, after);
      expect(patch === '' ? before : applyPatch(before, patch)).toBe(after);
      const result = applyToFunction(before, source, target);
      if (result.status !== 'placed') {
        expect(result.status).toBe('ambiguous');
        return;
      }
      expect(texts(result.text)).toEqual(texts(after));
      expect(result.patch === '' ? before : applyPatch(before, result.patch)).toBe(result.text);
    }),
    { numRuns: 500 },
  );
});

test('git applies the patch to the whole file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redef-repair-'));
  try {
    const head = '#include <string.h>\n\nint unrelated;\n\n';
    const path = 'drivers/net/dev.c';
    const target = formatFunction(before, before.replace('strcpy(buf, name);', 'strlcpy(buf, name, sizeof(buf));'));
    const result = applyToFunction(before, target.source, target.target, { path, firstLine: 5 });
    if (result.status !== 'placed') throw new Error(result.status);
    const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8', input: result.patch });
    git('init', '-q');
    spawnSync('mkdir', ['-p', 'drivers/net'], { cwd: folder });
    writeFileSync(join(folder, path), `${head}${before}`);
    expect(git('apply', '--verbose', '-').stderr).toContain('Applied patch drivers/net/dev.c cleanly');
    expect(readFileSync(join(folder, path), 'utf8')).toBe(`${head}${result.text}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a function in the middle of a file keeps the line break behind it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redef-repair-'));
  try {
    const fn = before.trimEnd();
    const fixed = fn.replace('strcpy(buf, name);', 'strlcpy(buf, name, sizeof(buf));');
    spawnSync('git', ['init', '-q'], { cwd: folder });
    for (const [breaks, tail] of ['\n#endif\nint x;\n', '\n\nint x;\n', '\n'].flatMap((tail) =>
      ['\n', '\r\n'].map((breaks) => [breaks, tail] as const),
    )) {
      const [was, is, head, rest] = [fn, fixed, '#ifdef X\n', tail].map((text) => text.replaceAll('\n', breaks));
      const { patch } = formatFunction(was!, is!, { path: 'net.c', firstLine: 2 });
      writeFileSync(join(folder, 'net.c'), `${head}${was}${rest}`);
      const { stderr } = spawnSync('git', ['apply', '-'], { cwd: folder, encoding: 'utf8', input: patch });
      expect(stderr).toBe('');
      expect(readFileSync(join(folder, 'net.c'), 'utf8')).toBe(`${head}${is}${rest}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the marker of a blank in a literal is refused, and a tag that would be read as code', () => {
  const code = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return RedefError.isInstance(error) ? error.code : error;
    }
  };
  const literal = 'f() { puts("<S2SV_blank>"); }';
  expect(code(() => formatFunction('f() { puts(" "); }', literal))).toBe('reserved-token');
  expect(code(() => formatSource(literal))).toBe('reserved-token');
  for (const cwe of ['787', 'cwe-787', 'CWE-787 x', '', 'CWE-']) {
    expect(code(() => formatFunction('f() { }', 'f() { g(); }', { cwe }))).toBe('invalid-option');
    expect(code(() => formatSource('f() { }', { cwe }))).toBe('invalid-option');
  }
  expect(formatSource('f() { }', { cwe: 'NVD-CWE-noinfo' })).toBe('NVD-CWE-noinfo f ( ) { }');
});

test('a source of another function is refused', () => {
  const { source, target } = formatFunction('int f() { return 1; }', 'int f() { return 2; }');
  const error = (() => {
    try {
      return applyToFunction('int g() { return 1; }', source, target);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(RedefError.isInstance(error) && error.code).toBe('source-mismatch');
  expect(RedefError.isInstance(error) && error.message).toContain('token 2 is "f" in the source, "g" in the text');
});

test('a region is a line of the text, and each reading of an ambiguous target has its own patch', () => {
  const text = 'f()\n{\n\ta = b; c();\n\ta = b; c();\n}\n';
  const { source, target } = formatFunction(text, 'f()\n{\n\ta = b; c();\n\ta = d; c();\n}\n');
  expect(source).toBe('CWE-000 f ( ) { a = b ; c ( ) ; <S2SV_StartBug> a = b ; c ( ) ; <S2SV_EndBug> }');
  const bare = source.replaceAll(/<S2SV_(Start|End)Bug> /g, '');
  const result = applyToFunction(text, bare, '<S2SV_ModStart> ; a = x <S2SV_ModEnd> ; c (');
  expect(result.status).toBe('placed');
  const both = applyToFunction(text, bare, '<S2SV_ModStart> b ; c 2');
  expect(both.status === 'ambiguous' && both.candidates.map(({ text }) => text)).toEqual([
    'f()\n{\n\ta = b; c 2 ();\n\ta = b; c();\n}\n',
    'f()\n{\n\ta = b; c();\n\ta = b; c 2 ();\n}\n',
  ]);
  expect(target).toContain('d');
});

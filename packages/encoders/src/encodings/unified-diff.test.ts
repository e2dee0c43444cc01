import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyChange, realChanges } from '../../test/changes.js';
import type { EncodedChange } from '../fit.js';
import type { ChangeText } from '../layout.js';
import { createLexicalTokenizer } from '../tokenizers/lexical-tokenizer.js';
import { createEncoding } from './create-encoding.js';

const encoding = createEncoding('unified-diff');
const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 1_000_000 };

describe('unified-diff', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'redef-unified-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What git prints for all changes at once, as one text a change; the header lines of each file left out. */
  function gitDiffs(changes: readonly ChangeText[]): string[] {
    for (const side of ['before', 'after']) {
      rmSync(join(folder, side), { recursive: true, force: true });
      mkdirSync(join(folder, side));
    }
    for (const [i, { function_before, function_after }] of changes.entries()) {
      writeFileSync(join(folder, 'before', `${i}`), function_before === '' ? '' : `${function_before}\n`);
      writeFileSync(join(folder, 'after', `${i}`), function_after === '' ? '' : `${function_after}\n`);
    }
    let output: string;
    try {
      output = execFileSync(
        'git',
        [
          '-c',
          'core.attributesFile=/dev/null',
          'diff',
          '--no-index',
          '--no-color',
          '--no-ext-diff',
          '--text',
          '-U3',
          'before',
          'after',
        ],
        {
          cwd: folder,
          encoding: 'utf8',
          env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
          maxBuffer: 1 << 28,
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
    } catch (error) {
      output = (error as { stdout: string }).stdout; // exit status 1 says that there are differences
    }
    const texts = changes.map(() => '');
    for (const part of output.split(/^diff --git /m).slice(1)) {
      const file = Number(/^a\/before\/(\d+)/.exec(part)![1]);
      const start = part.search(/^@@ /m);
      if (start >= 0) texts[file] = part.slice(start).replace(/\n$/, '');
    }
    return texts;
  }

  const expectSame = (changes: readonly ChangeText[]): void => {
    const expected = gitDiffs(changes);
    for (const [i, change] of changes.entries()) expect(encoding.encode(change, budget).text).toBe(expected[i]);
  };

  it('prints what git prints, byte for byte', () => {
    expectSame(realChanges().filter((_, i) => i % 20 === 0));
    const wellFormed = ({ function_before, function_after }: ChangeText): boolean =>
      !/\p{Surrogate}/u.test(function_before + function_after);
    expectSame(fc.sample(anyChange.filter(wellFormed), 600));
  });

  it('chooses among shortest scripts as git does where a new line stands elsewhere in the function', () => {
    const function_before = '{\n\tx();\n\n\n\tx();\nint f(void)';
    const function_after = '{\n\tx();\n\tx();\n\n\n\n\tif (x) {\n\tx();\nint f(void)';
    expectSame([{ id: '00', function_before, function_after }]);
  });

  it('does so for nearly all long functions of a few lines repeated, where git prunes its search', () => {
    const line = fc.constantFrom('', '}', '\t}', '\tfoo();', 'int a(void)', '{', '\t\tx++;', '\treturn 0;', '/* c */');
    const lines = fc.array(line, { minLength: 100, maxLength: 300 });
    const edits = fc.array(fc.tuple(fc.nat(300), fc.nat(4), fc.array(line, { maxLength: 4 })), { maxLength: 20 });
    const changes = fc.sample(fc.tuple(lines, edits), 200).map(([before, list], i) => {
      const after = [...before];
      for (const [at, removed, inserted] of list) after.splice(at % (after.length + 1), removed, ...inserted);
      return { id: `${i}`, function_before: before.join('\n'), function_after: after.join('\n') };
    });
    const expected = gitDiffs(changes);
    const same = changes.filter((change, i) => encoding.encode(change, budget).text === expected[i]);
    expect(same.length).toBeGreaterThan(0.95 * changes.length);
  });
});

describe('unified-words', () => {
  it('marks the words that differ in replaced lines', () => {
    const change = {
      id: '00',
      function_before: 'int f(int a)\n{\n  g(a, 1);\n  return a;\n}',
      function_after: 'int f(int a)\n{\n  g(b,  2);\n  return b + a;\n}',
    };
    expect(createEncoding('unified-words', { contextLines: 0 }).encode(change, budget).text).toBe(
      '@@ -3,2 +3,2 @@ int f(int a)\n-  g(<W>a</W>,<W> 1</W>);\n-  return a;\n+  g(<W>b</W>,<W>  2</W>);\n+  return<W> b +</W> a;',
    );
    expect(
      createEncoding('unified-words').encode({ ...change, function_before: '', function_after: '<W>x' }, budget).text,
    ).toBe('@@ -0,0 +1 @@\n+<\\W>x');
  });

  it('leaves an edit of very many words unmarked, counts it and goes on with the next', () => {
    const text = (word: string, words: number): string => `${`${word} `.repeat(words)}\nx\n${word}`;
    const encode = (words: number): EncodedChange => {
      const change = { id: '00', function_before: text('a', words), function_after: text('b', words) };
      return createEncoding('unified-words', { contextLines: 0 }).encode(change, budget);
    };
    const all = encode(4000);
    expect(all.text.match(/<W>/g)).toHaveLength(2 * 4000 + 2);
    expect(all).not.toHaveProperty('unmarkedEdits');
    const some = encode(5001);
    expect(some.text.match(/<W>/g)).toHaveLength(2);
    expect(some.unmarkedEdits).toBe(1);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { ChangeText } from '../src/index.js';

fc.configureGlobal({ seed: 20_261_130 }); // the same cases on every run

const shared = process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../shared/', import.meta.url));

/** A file of the shared material, or `undefined`, said aloud, where it is not on this machine. */
export function sharedFile(path: string): string | undefined {
  const file = join(shared, path);
  if (existsSync(file)) return file;
  console.warn(`SKIPPED: ${path} is not in ${shared}; set REDEF_SHARED to test on it`);
  return undefined;
}

/** The aligned bug-fix pairs of CodeXGLUE's refinement set as changes, one statement a line. Empty where they are not on this machine. */
export function realChanges(): ChangeText[] {
  return ['valid', 'test'].flatMap((part) => {
    const read = (side: string): string[] | undefined => {
      const file = sharedFile(`data/codexglue-refinement/small.${part}.${side}`);
      return file === undefined ? undefined : readFileSync(file, 'utf8').trimEnd().split('\n').map(inLines);
    };
    const before = read('buggy');
    const after = read('fixed');
    if (!before || !after) return [];
    return before.map((text, i) => ({ id: `${part}${i}`, function_before: text, function_after: after[i]! }));
  });
}

/** The pairs come on one line each: breaks after `;`, `{` and `}` with their indentation. */
function inLines(code: string): string {
  let depth = 0;
  const lines: string[] = [];
  for (const line of code.trim().split(/(?<=[;{}]) /)) {
    if (line.startsWith('}')) depth = Math.max(0, depth - 1);
    lines.push('    '.repeat(depth) + line);
    if (line.endsWith('{')) depth++;
  }
  return lines.join('\n');
}

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '',
      '{',
      '}',
      '    return x;',
      '\tif (a < b)',
      'x = x + 1;',
      'int f(void)',
      "  c = 't';",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '<CHG>',
      '<ADD>x',
      '<DEL>',
      '<\\ADD>',
      '<\\\\CHG> y',
      '[Before]:',
      '[After]:',
      '[ADDED LINES]:',
      '[\\DELETED LINES]:',
      '[DELETED LINES]: z',
      '<s>',
      '</s><pad>',
      '@@ -1 +1 @@',
      '\\ No newline at end of file',
      '-x',
      '+y',
      ' ',
      '<S>',
      '[-a-]',
      '{+b+}',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\n', ' ')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\r', 'x;\r', '\u{1F600} = 1;', '\uD800', 'é\u0301', '\uFEFF', '\u0085', '\u00A0'),
  },
);

const source = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'));

/** Generated changes: unrelated sides, sides that share most lines, empty sides; marks and odd characters in the source. */
export const anyChange: fc.Arbitrary<ChangeText> = fc.oneof(
  fc.record({
    id: fc.nat().map((n) => n.toString(16).padStart(16, '0')),
    function_before: source,
    function_after: source,
  }),
  fc
    .tuple(
      fc.array(line, { maxLength: 14 }),
      fc.array(fc.tuple(fc.nat(20), fc.nat(2), fc.array(line, { maxLength: 2 })), { maxLength: 4 }),
      fc.nat(),
    )
    .map(([lines, edits, id]) => {
      const after = [...lines];
      for (const [at, removed, inserted] of edits) after.splice(at % (after.length + 1), removed, ...inserted);
      return {
        id: `abcdef0123456789${id.toString(16)}`,
        function_before: lines.join('\n'),
        function_after: after.join('\n'),
      };
    }),
);

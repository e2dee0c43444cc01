import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { languageOf } from '../src/functions/language.js';
import { scanFunctions } from '../src/functions/scanner.js';

// Each fixture marks its functions by hand: "// @ name" on the first line, "// @end" on the last, "// @@ name" on the only one.
const folder = new URL('./fixtures/functions/', import.meta.url);
const files = readdirSync(folder).sort();

function marked(text: string): string[] {
  const expected: string[] = [];
  let open: { name: string; line: number } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, kind, name] = / \/\/ @(@ | |end)(.*)$/.exec(line) ?? [];
    if (kind === '@ ') expected.push(`${index + 1}-${index + 1} ${name}`);
    else if (kind === ' ') open = { name: name!, line: index + 1 };
    else if (kind === 'end' && open) expected.push(`${open.line}-${index + 1} ${open.name}`);
  }
  return expected;
}

const found = (bytes: Buffer, name: string): string[] =>
  scanFunctions(bytes, languageOf(name, bytes)).functions.map(
    ({ startLine, endLine, name }) => `${startLine}-${endLine} ${name}`,
  );

describe('the hand-marked functions', () => {
  test('are at least 200', () => {
    const total = files.reduce((sum, name) => sum + marked(readFileSync(new URL(name, folder), 'utf8')).length, 0);
    expect(total).toBeGreaterThanOrEqual(200);
  });

  for (const name of files) {
    test(`${name}: every one is found with its name and lines, and nothing else`, () => {
      const bytes = readFileSync(new URL(name, folder));
      expect(found(bytes, name)).toEqual(marked(bytes.toString()));
      expect(scanFunctions(bytes, languageOf(name, bytes)).balanced).toBe(true);
    });

    test(`${name}: carriage returns change nothing`, () => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      expect(found(Buffer.from(text.replaceAll('\n', '\r\n')), name)).toEqual(marked(text));
    });
  }
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hunk } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePath, decodeText } from './decode.js';
import { diffLines } from './line-diff.js';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '}', ''), { maxLength: 30 });

function apply(before: readonly string[], after: readonly string[], hunks: readonly Hunk[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { old_start, old_count, new_start, new_count } of hunks) {
    const from = old_count === 0 ? old_start : old_start - 1;
    result.push(...before.slice(at, from));
    const start = new_count === 0 ? new_start : new_start - 1;
    result.push(...after.slice(start, start + new_count));
    at = from + old_count;
  }
  return [...result, ...before.slice(at)];
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (let j = 0; j < b.length; j++) next.push(line === b[j] ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return row[b.length]!;
}

const text = (all: readonly string[]): Buffer => Buffer.from(all.map((line) => `${line}\n`).join(''));

test('the hunks turn the one into the other, with as few lines as can be', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const { hunks } = diffLines(text(a), text(b));
      expect(apply(a, b, hunks)).toEqual(b);
      const common = longestCommon(a, b);
      expect(hunks.reduce((sum, hunk) => sum + hunk.old_count, 0)).toBe(a.length - common);
      expect(hunks.reduce((sum, hunk) => sum + hunk.new_count, 0)).toBe(b.length - common);
    }),
    { seed: 3, numRuns: 500 },
  );
});

test('numbers its lines as git does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redef-diff-'));
  try {
    const cases: [string, string][] = [
      ['a\nb\nc\n', 'a\nx\nc\n'],
      ['a\nb\nc\n', 'a\nb\nb2\nc\n'],
      ['a\nb\nc\n', 'a\nc\n'],
      ['', 'a\n'],
      ['a\n', ''],
      ['a\nb', 'a\nb\n'],
      ['a\nb\nc', 'a\nb\nd'],
      ['x\n'.repeat(5000), `${'x\n'.repeat(2500)}y\n${'x\n'.repeat(2500)}`],
      ['a\r\nb\r\n', 'a\nb\r\n'],
      ['f\n{\n}\n', 'f\n{\n}\ng\n{\n}\n'],
    ];
    for (const [a, b] of cases) {
      writeFileSync(join(folder, 'a'), a);
      writeFileSync(join(folder, 'b'), b);
      let output = '';
      try {
        execFileSync('git', ['diff', '--no-index', '-U0', '--no-indent-heuristic', 'a', 'b'], {
          cwd: folder,
          encoding: 'utf8',
        });
      } catch (error) {
        output = (error as { stdout: string }).stdout;
      }
      const expected = [...output.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
        ([, os, oc = '1', ns, nc = '1']) => ({
          old_start: Number(os),
          old_count: Number(oc),
          new_start: Number(ns),
          new_count: Number(nc),
        }),
      );
      expect(diffLines(Buffer.from(a), Buffer.from(b)).hunks, JSON.stringify([a.slice(0, 20), b.slice(0, 20)])).toEqual(
        expected,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('past the limit of the search lines unique to both sides still divide the hunks', () => {
  const many = (prefix: string): string[] => Array.from({ length: 3000 }, (_, i) => `${prefix}${i}`);
  const replaced = diffLines(text(['top', ...many('a'), 'end']), text(['top', ...many('b'), 'end']));
  expect(replaced.hunks).toEqual([{ old_start: 2, old_count: 3000, new_start: 2, new_count: 3000 }]);
  const a = many('x').flatMap((line, i) => (i % 2 === 0 ? [line] : [line, `old ${i}`]));
  const b = many('x').flatMap((line, i) => (i % 2 === 0 ? [line] : [line, `new ${i}`]));
  const { hunks } = diffLines(text(a), text(b));
  expect(hunks).toHaveLength(1500);
  expect(apply(a, b, hunks)).toEqual(b);
});

test('bytes become text by the declared rules', () => {
  expect(decodeText(Buffer.from('caf\u00e9'))).toEqual({ text: 'café', decoding: undefined });
  expect(decodeText(Buffer.from([0x63, 0xe9, 0x80]))).toEqual({ text: 'cé€', decoding: 'windows-1252' });
  expect(decodePath(Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0xc3]))).toBe('a\\xffé\\xc3');
});

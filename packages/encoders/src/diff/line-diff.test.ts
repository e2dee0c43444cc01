import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realChanges } from '../../test/changes.js';
import { diffLines, type LineDiff } from './line-diff.js';

/** The text after, made from the text before and the edits. */
function apply({ before, after, edits }: LineDiff): string[] {
  const lines: string[] = [];
  let i = 0;
  for (const edit of edits) {
    lines.push(...before.list(i, edit.before));
    i = edit.before;
    expect(lines.length).toBe(edit.after);
    lines.push(...after.list(edit.after, edit.after + edit.added));
    i += edit.deleted;
  }
  return [...lines, ...before.list(i)];
}

/** Length of the longest common subsequence, by the textbook table. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const item of a) {
    const next = [0];
    for (let j = 0; j < b.length; j++) next.push(item === b[j] ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return row[b.length]!;
}

const size = ({ edits }: LineDiff): number => edits.reduce((sum, { added, deleted }) => sum + added + deleted, 0);

describe('diffLines', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), { maxLength: 40 });

  it('gives edits that rebuild the text, and the fewest there are', () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const diff = diffLines(a.join('\n'), b.join('\n'));
        expect(apply(diff)).toEqual(diff.after.list());
        expect(size(diff)).toBe(
          diff.before.length + diff.after.length - 2 * longestCommon(diff.before.list(), diff.after.list()),
        );
        for (const [k, edit] of diff.edits.entries()) {
          const next = diff.edits[k + 1];
          expect(edit.added + edit.deleted).toBeGreaterThan(0);
          if (next) expect(next.before).toBeGreaterThan(edit.before + edit.deleted);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does so for real changes', () => {
    for (const { function_before, function_after } of realChanges().filter((_, i) => i % 3 === 0)) {
      const diff = diffLines(function_before, function_after);
      expect(apply(diff)).toEqual(diff.after.list());
      expect(size(diff)).toBe(
        diff.before.length + diff.after.length - 2 * longestCommon(diff.before.list(), diff.after.list()),
      );
    }
  });

  it('tells lines apart that differ in one character anywhere', () => {
    const alike = fc.nat(39).map((at) => `${'x'.repeat(at)}y${'x'.repeat(39 - at)}`);
    fc.assert(
      fc.property(fc.array(alike, { maxLength: 12 }), fc.array(alike, { maxLength: 12 }), (a, b) => {
        const diff = diffLines(a.join('\n'), b.join('\n'));
        expect(apply(diff)).toEqual(b);
        expect(size(diff)).toBe(a.length + b.length - 2 * longestCommon(a, b));
      }),
      { numRuns: 1000 },
    );
  });

  it('rebuilds the text where the search is cut short', () => {
    const before = Array.from({ length: 4000 }, (_, i) => `line ${(i * 7919) % 4000}`);
    const after = Array.from({ length: 4000 }, (_, i) => `line ${(i * 6101 + 17) % 4000}`);
    const diff = diffLines(before.join('\n'), after.join('\n'));
    expect(apply(diff)).toEqual(after);
    expect(size(diff)).toBeLessThan(8000);
  });

  it('has no lines for an empty text and keeps a carriage return in its line', () => {
    expect(diffLines('', 'a\r\nb').edits).toEqual([{ before: 0, after: 0, deleted: 0, added: 2 }]);
    expect(diffLines('a\r\nb', 'a\nb').edits).toEqual([{ before: 0, after: 0, deleted: 1, added: 1 }]);
    expect(diffLines('', '').edits).toEqual([]);
    expect(diffLines('\n', '').before.list()).toEqual(['', '']);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import golden from '../../test/fixtures/matching-diff.json' with { type: 'json' };
import { matchingDiff } from './matching-diff.js';
import { splitTokens } from './special-tokens.js';
import { applyEdits, mergeEdits, myersDiff } from './token-edits.js';

const tokens = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

test('finds the edits that difflib finds, frequent tokens in long sequences included', () => {
  expect(golden.length).toBe(28);
  for (const { before, after, edits } of golden) {
    const found = matchingDiff(splitTokens(before), splitTokens(after));
    expect(found.map(({ start, end, tokens }) => [start, end, tokens])).toEqual(edits);
  }
});

test.each([
  ['matchingDiff', matchingDiff],
  ['myersDiff', myersDiff],
] as const)('%s: applying the edits gives the second sequence, and no edit touches the next', (_name, diff) => {
  fc.assert(
    fc.property(tokens, tokens, (before, after) => {
      const edits = diff(before, after);
      expect(applyEdits(before, edits)).toEqual(after);
      edits.forEach((edit, i) => {
        expect(edit.end - edit.start + edit.tokens.length).toBeGreaterThan(0);
        if (i > 0) expect(edit.start).toBeGreaterThan(edits[i - 1]!.end);
      });
    }),
  );
});

test('merged edits are at least the distance apart and still give the second sequence', () => {
  fc.assert(
    fc.property(tokens, tokens, fc.integer({ min: 1, max: 10 }), (before, after, distance) => {
      const merged = mergeEdits(before, matchingDiff(before, after), distance);
      expect(applyEdits(before, merged)).toEqual(after);
      merged.slice(1).forEach((edit, i) => {
        expect(edit.start - merged[i]!.end).toBeGreaterThanOrEqual(distance);
      });
    }),
  );
});

test('a shortest script is never longer than the matching blocks leave', () => {
  const size = (edits: ReturnType<typeof myersDiff>) =>
    edits.reduce((sum, edit) => sum + edit.end - edit.start + edit.tokens.length, 0);
  fc.assert(
    fc.property(tokens, tokens, (before, after) => {
      expect(size(myersDiff(before, after))).toBeLessThanOrEqual(size(matchingDiff(before, after)));
    }),
  );
});

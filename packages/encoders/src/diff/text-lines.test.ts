import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextLines } from './text-lines.js';

describe('TextLines', () => {
  const text = fc
    .array(fc.constantFrom('', 'a', 'ab', 'b\r', 'x'.repeat(70), '\uD800'), { maxLength: 8 })
    .map((lines) => lines.join('\n'));

  it('has the lines of the text', () => {
    fc.assert(
      fc.property(text, fc.nat(8), fc.nat(8), (any, from, to) => {
        const expected = any === '' ? [] : any.split('\n');
        const lines = new TextLines(any);
        const end = Math.min(to, lines.length);
        expect(lines.list()).toEqual(expected);
        expect(lines.list(from, end)).toEqual(expected.slice(from, end));
        expect(lines.join(from, end)).toBe(expected.slice(from, end).join('\n'));
      }),
      { numRuns: 1000 },
    );
  });

  it('counts the lines that two texts share at either end, as comparing them one by one does', () => {
    fc.assert(
      fc.property(text, text, text, text, (start, a, b, end) => {
        const [first, second] = [start + a + end, start + b + end].map((whole) => new TextLines(whole));
        const [left, right] = [first!.list(), second!.list()];
        let shared = 0;
        while (shared < Math.min(left.length, right.length) && left[shared] === right[shared]) shared++;
        expect(first!.commonStart(second!)).toBe(shared);
        const most = Math.min(left.length, right.length) - shared;
        let atEnd = 0;
        while (atEnd < most && left.at(-1 - atEnd) === right.at(-1 - atEnd)) atEnd++;
        expect(first!.commonEnd(second!, most)).toBe(atEnd);
      }),
      { numRuns: 3000 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange, realChanges } from '../../test/changes.js';
import { diffLines } from '../diff/line-diff.js';
import type { ChangeText } from '../layout.js';
import { createLexicalTokenizer } from '../tokenizers/lexical-tokenizer.js';
import { createEncoding, encodingNames } from './create-encoding.js';
import type { RecoveredChange } from './encoding.js';

const tokenizer = createLexicalTokenizer();
const roomy = { tokenizer, maxTokens: 10_000_000 };
const real = realChanges().filter((_, i) => i % 10 === 0);
const whole = { contextLines: Number.POSITIVE_INFINITY };

/** Both functions, since the context is unbounded here; nothing where there is no edit. */
function hunkSides({ function_before, function_after }: ChangeText): RecoveredChange {
  return function_before === function_after
    ? { before: '', after: '' }
    : { before: function_before, after: function_after };
}

/** What each encoding promises to show of a change. */
const shown: Record<string, (change: ChangeText) => RecoveredChange> = {
  'after-only': ({ function_after }) => ({ after: function_after }),
  'after-markers': ({ function_after }) => ({ after: function_after }),
  'before-after': ({ function_before, function_after }) => ({ before: function_before, after: function_after }),
  'diff-tags': hunkSides,
  'unified-diff': hunkSides,
  'unified-words': hunkSides,
  'added-deleted': ({ function_before, function_after }) => {
    const { before, after, edits } = diffLines(function_before, function_after);
    return {
      before: edits.flatMap((edit) => before.list(edit.before, edit.before + edit.deleted)).join('\n'),
      after: edits.flatMap((edit) => after.list(edit.after, edit.after + edit.added)).join('\n'),
    };
  },
};

describe.each(encodingNames)('%s', (name) => {
  const encoding = createEncoding(name, whole);

  const recovers = (change: ChangeText): void => {
    const { text } = encoding.encode(change, roomy);
    expect(encoding.recover(text)).toEqual(shown[name]!(change));
  };
  const fits = (change: ChangeText, maxTokens: number): void => {
    const encoded = encoding.encode(change, { tokenizer, maxTokens });
    const full = encoding.encode(change, roomy);
    expect(encoded.inputIds.length).toBe(Math.min(maxTokens, full.inputIds.length));
    expect(encoded.tokensLost).toBe(full.inputIds.length - encoded.inputIds.length);
    expect(encoded.text).toBe(full.text);
    expect(full.tokensLost).toBe(0);
    expect(full.changedLinesKept).toBe(full.changedLinesShown);
    expect(encoded.changedLinesKept).toBeLessThanOrEqual(encoded.changedLinesShown);
    expect(encoded.changedLinesShown).toBeLessThanOrEqual(encoded.changedLines);
  };

  it('gives back what it shows', () => {
    fc.assert(fc.property(anyChange, recovers), { numRuns: 1000 });
    for (const change of real) recovers(change);
  });

  it('never exceeds its budget and leaves none of it unused', () => {
    fc.assert(fc.property(anyChange, fc.integer({ min: 2, max: 120 }), fits), { numRuns: 1000 });
    for (const [i, change] of real.entries()) fits(change, 2 + (i % 130));
  });

  it('refuses a row that is no change', () => {
    const change = { id: '0123456789abcdef', function_before: 'a', function_after: 'b' };
    for (const row of [{ ...change, function_after: null }, { ...change, id: 7 }, {}, undefined]) {
      expect(() => encoding.encode(row as ChangeText, roomy)).toThrow(
        expect.objectContaining({ code: 'invalid-change' }),
      );
    }
  });

  it('says so where the budget has no room for the special tokens', () => {
    const change = { id: '0123456789abcdef', function_before: 'a', function_after: 'b' };
    for (const maxTokens of [1, 0, -5, Number.NaN, 3.5]) {
      expect(() => encoding.encode(change, { tokenizer, maxTokens })).toThrow(/special tokens/);
    }
    expect(encoding.encode(change, { tokenizer, maxTokens: 2 }).inputIds).toEqual(Int32Array.of(1, 2));
  });
});

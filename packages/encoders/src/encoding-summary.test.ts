import { describe, expect, it } from 'vitest';
import { EncodingSummarizer } from './encoding-summary.js';
import { createEncoding } from './encodings/create-encoding.js';
import { createLexicalTokenizer } from './tokenizers/lexical-tokenizer.js';

const tokenizer = createLexicalTokenizer();
const body = (edited: string): string => [...Array.from({ length: 9 }, (_, i) => `a${i};`), edited, 'z;'].join('\n');
const change = { id: '00', function_before: body('old;'), function_after: body('new;') };

describe('EncodingSummarizer', () => {
  it('tells what a budget cut off', () => {
    const summarizer = new EncodingSummarizer();
    const encoding = createEncoding('after-only');
    // name, semicolon, line break: three tokens a line; the edited one is the tenth of eleven
    for (const maxTokens of [34, 31, 30, 2]) summarizer.add(encoding.encode(change, { tokenizer, maxTokens }));
    summarizer.add(
      encoding.encode({ ...change, function_before: change.function_after }, { tokenizer, maxTokens: 34 }),
    );
    expect(summarizer.summary()).toMatchObject({
      changes: 5,
      truncated: 3,
      tokens: 160,
      tokensLost: 3 + 4 + 32,
      changedLines: 8,
      changedLinesShown: 4,
      changedLinesKept: 2,
      shareKept: 0.25,
      shareKeptOfShown: 0.5,
      changesWithoutEdit: 2,
      withEscapedMarks: 0,
    });
  });

  it('counts marks in the source and edits without word marks', () => {
    const summarizer = new EncodingSummarizer();
    const words = 'a '.repeat(10_001);
    for (const function_before of ['<W>', words, 'plain']) {
      const row = { id: '00', function_before, function_after: words.replaceAll('a', 'b') };
      summarizer.add(createEncoding('unified-words').encode(row, { tokenizer, maxTokens: 64 }));
    }
    expect(summarizer.summary()).toMatchObject({ withEscapedMarks: 1, unmarkedEdits: 3 });
  });

  it('gives the curve of lengths', () => {
    const summarizer = new EncodingSummarizer();
    const encoding = createEncoding('after-only');
    for (let length = 1; length <= 200; length++) {
      const function_after = 'x '.repeat(length);
      summarizer.add(
        encoding.encode({ id: `${length}`, function_before: '', function_after }, { tokenizer, maxTokens: 64 }),
      );
    }
    const { lengths, truncated } = summarizer.summary();
    expect(truncated).toBe(200 - 62);
    expect(lengths.mean).toBe(100.5);
    expect(lengths.max).toBe(200);
    expect(lengths.quantiles.map(({ tokens }) => tokens)).toEqual([10, 50, 100, 150, 190, 198]);
    expect(lengths.cumulative.slice(0, 3)).toEqual([
      { tokens: 64, share: 0.32 },
      { tokens: 128, share: 0.64 },
      { tokens: 256, share: 1 },
    ]);
  });

  it('is empty before the first change', () => {
    const { shareKept, lengths } = new EncodingSummarizer().summary();
    expect(shareKept).toBeUndefined();
    expect(lengths.cumulative.every(({ share }) => share === 0)).toBe(true);
  });
});

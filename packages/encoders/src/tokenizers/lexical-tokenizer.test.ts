import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange } from '../../test/changes.js';
import { createLexicalTokenizer, lexicalReserved } from './lexical-tokenizer.js';
import { coveredLength } from './tokenizer.js';

describe('createLexicalTokenizer', () => {
  const tokenizer = createLexicalTokenizer();
  const count = (text: string): number => tokenizer.encode(text).length;

  it('takes identifiers, numbers, operators and line breaks, and no other white space', () => {
    expect(count('  a->b_1 <<= 0x1Fu;')).toBe(6);
    expect(count("1'000.5e+3 ... ::")).toBe(3);
    expect(count('a\n    b \t\n\n c')).toBe(5);
    expect(tokenizer.encode('a + b')).toEqual(tokenizer.encode('a+b '));
    expect(tokenizer.encode('a\n  b')).not.toEqual(tokenizer.encode('a\n    b'));
  });

  it('gives the same ids everywhere', () => {
    expect([...tokenizer.encode('int main(void) { return 0; }')]).toMatchInlineSnapshot(`
      [
        35982,
        2188,
        50282,
        21231,
        9924,
        62997,
        54210,
        57041,
        19882,
        26316,
      ]
    `);
  });

  it('stays in its range and spreads over it', () => {
    const small = createLexicalTokenizer({ size: 1024 });
    const ids = new Set<number>();
    for (let i = 0; i < 20_000; i++) for (const id of small.encode(`name${i}`)) ids.add(id);
    expect(Math.min(...ids)).toBe(lexicalReserved);
    expect(Math.max(...ids)).toBe(1023);
    expect(ids.size).toBe(1024 - lexicalReserved);
    for (const size of [10, 1024.5, Number.NaN, 2 ** 40])
      expect(() => createLexicalTokenizer({ size })).toThrow(/size/);
  });

  it('knows how much of a text its first tokens cover', () => {
    const marked = tokenizer.addTokens(['<ADD>', 'turn']);
    fc.assert(
      fc.property(anyChange, ({ function_after: text }) => {
        const ids = marked.encode(text);
        for (let kept = 0; kept <= ids.length; kept++) {
          const covered = text.slice(0, coveredLength(marked, text, ids, kept));
          expect(marked.encode(covered).length).toBe(kept);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds added tokens inside words and decodes them', () => {
    const marked = tokenizer.addTokens(['<ADD>', 'turn']);
    expect([...marked.encode('<ADD>return')].map((id) => marked.decode([id]))).toEqual([
      '<ADD>',
      expect.stringMatching(/^#\d+$/),
      'turn',
    ]);
    expect(marked.size).toBe(65_538);
  });

  it('takes time linear in any text', () => {
    for (const text of [
      ' '.repeat(2e6),
      'x'.repeat(2e6),
      '1.'.repeat(1e6),
      '\n'.repeat(2e6),
      '\u{1F600}'.repeat(1e6),
    ]) {
      expect(count(text)).toBeLessThanOrEqual(1e6);
    }
  });
});

import { escapeRegExp } from './tokenizers/added-tokens.js';

/**
 * Keeps an encoding's own marks (`<ADD>`, `[After]:`) apart from the same characters in source text. In a source, a
 * backslash is put after the mark's first character, and one more where there are some already: `<ADD>` becomes
 * `<\ADD>`, `<\ADD>` becomes `<\\ADD>`. Unescaping is exact.
 */
export interface MarkEscaper {
  escape(text: string): string;
  unescape(text: string): string;
  /** Marks that stand in a source text. */
  count(text: string): number;
}

export function createMarkEscaper(marks: readonly string[]): MarkEscaper {
  if (marks.length === 0) return { escape: (text) => text, unescape: (text) => text, count: () => 0 };
  const pattern = (backslashes: string) =>
    new RegExp(
      marks.map((mark) => `${escapeRegExp(mark[0]!)}${backslashes}${escapeRegExp(mark.slice(1))}`).join('|'),
      'g',
    );
  const found = pattern('\\\\*');
  const escaped = pattern('\\\\+');
  const rests = marks.map((mark) => mark.slice(1));
  const mayHold = (text: string): boolean => rests.some((rest) => text.includes(rest)); // far faster than the pattern
  return {
    escape: (text) => (mayHold(text) ? text.replace(found, (mark) => `${mark[0]}\\${mark.slice(1)}`) : text),
    unescape: (text) => text.replace(escaped, (mark) => `${mark[0]}${mark.slice(2)}`),
    count: (text) => text.match(found)?.length ?? 0,
  };
}

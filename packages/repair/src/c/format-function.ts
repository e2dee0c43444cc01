import {
  type FormatOptions,
  formatSample,
  type RepairSample,
  reservedToken,
  type TokenRange,
} from '../format/format-sample.js';
import { blank } from '../format/special-tokens.js';
import { spellToken } from './spelling.js';
import { type CToken, tokenizeC } from './tokenize-c.js';
import { type UnifiedDiffOptions, unifiedDiff } from './unified-diff.js';

export interface FormattedFunction extends RepairSample {
  /** The change as a unified diff of the two texts as they are, comments included. */
  patch: string;
}

/**
 * A pair of C functions in VRepair's format: comments dropped, tokens as clang splits them, spelled as in the published
 * data, each buggy region a line of the text.
 *
 * @throws `RedefError` `reserved-token` (disposition `skip`) where the code has one of the format's markers
 */
export function formatFunction(
  before: string,
  after: string,
  { path, firstLine, ...options }: Omit<FormatOptions, 'lines'> & UnifiedDiffOptions = {},
): FormattedFunction {
  const tokens = tokenizeC(before);
  const sample = formatSample(tokens.map(spellingOf), tokenizeC(after).map(spellingOf), {
    ...options,
    lines: textLines(tokens),
  });
  return { ...sample, patch: unifiedDiff(before, after, { path, firstLine }) };
}

/** @throws `RedefError` `reserved-token` where a literal has the marker of a blank: it would be read as one */
export function spellingOf({ text }: CToken): string {
  if (text.includes(blank)) throw reservedToken(text);
  return spellToken(text);
}

/** The tokens of each line that has any. */
export function textLines(tokens: readonly CToken[]): TokenRange[] {
  const lines: TokenRange[] = [];
  tokens.forEach((token, index) => {
    if (index > 0 && tokens[index - 1]!.line === token.line) lines.at(-1)!.end = index + 1;
    else lines.push({ start: index, end: index + 1 });
  });
  return lines;
}

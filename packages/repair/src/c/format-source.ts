import { RedefError } from '@redef/core';
import { markRegions } from '../format/format-sample.js';
import { checkCwe } from '../format/parse-sample.js';
import { spellingOf, textLines } from './format-function.js';
import { tokenizeC } from './tokenize-c.js';

export interface FormatSourceOptions {
  /** The leading tag. Default `CWE-000`, which says nothing of the weakness. */
  cwe?: string;
  /** Lines of the text taken for the buggy region, 1-based and inclusive. Default: none is marked. */
  lines?: { from: number; to: number };
}

/**
 * A vulnerable C function as a source, where what is wrong in it is not known token by token: comments dropped, tokens as
 * in the published data, the given lines one buggy region.
 *
 * @throws `RedefError` `invalid-option` where no token is in those lines or the tag is none; `reserved-token`
 */
export function formatSource(text: string, { cwe = 'CWE-000', lines }: FormatSourceOptions = {}): string {
  checkCwe(cwe);
  const tokens = tokenizeC(text);
  const spelled = tokens.map(spellingOf);
  if (!lines) return [cwe, ...spelled].join(' ');
  const inside = textLines(tokens).filter(({ start }) => {
    const { line } = tokens[start]!;
    return line >= lines.from && line <= lines.to;
  });
  if (inside.length === 0) {
    throw new RedefError(`no code in lines ${lines.from} to ${lines.to} of the function`, {
      code: 'invalid-option',
      remedy: 'Name lines of the function that hold more than comments.',
    });
  }
  const region = { start: inside[0]!.start, end: inside.at(-1)!.end };
  return [cwe, ...markRegions(spelled, [region])].join(' ');
}

import { defineEncoding, type Encoding } from './encoding.js';
import { afterLines, beforeLines, changedLinesOf, diffOf } from './lines.js';
import { recoverSections } from './sections.js';

const headers = ['[Before]:', '[After]:'] as const;

/**
 * Both functions, each with half of the token budget (ReDef, section 3.2, encoding 3).
 *
 * The paper fixes: the two markers, their order, and half of the budget a side. It leaves open: whether the markers are
 * added tokens, what follows them, whether a side that needs less leaves its room to the other, who has the odd token.
 * Ours: plain text, so that their words keep their trained embeddings; each on a line of its own, counted in its side's
 * half; free room goes to the other side; the odd token to the side after. `recover` gives both functions.
 */
export function beforeAfter(): Encoding {
  return defineEncoding({
    name: 'before-after',
    headers,
    layout(change) {
      const diff = diffOf(change);
      return {
        sections: [
          { header: headers[0], lines: beforeLines(diff) },
          { header: headers[1], lines: afterLines(diff) },
        ],
        share: 'halves',
        changedLines: changedLinesOf(diff),
      };
    },
    recover(text, escaper) {
      const [before, after] = recoverSections(text, headers, escaper);
      return { before, after };
    },
  });
}

import type { LineDiff } from '../diff/line-diff.js';
import type { ShownLines } from '../layout.js';
import { defineEncoding, type Encoding } from './encoding.js';
import { changedLinesOf, diffOf } from './lines.js';
import { recoverSections } from './sections.js';

const headers = ['[ADDED LINES]:', '[DELETED LINES]:'] as const;

/**
 * The added lines, then the deleted lines, each under a header (ReDef, section 3.2, encoding 5, after JIT-Fine).
 *
 * The paper fixes: the order, the two headers, no commit message. It leaves open: whether the headers are added tokens,
 * how lines are joined, which block loses when the budget is short. Ours: plain text on lines of their own; lines as they
 * stand in the function (JIT-Fine collapses white space and drops empty ones); the end is cut, so deleted lines go
 * first. A header without lines stays. `recover` gives the two blocks.
 */
export function addedDeleted(): Encoding {
  return defineEncoding({
    name: 'added-deleted',
    headers,
    layout(change) {
      const diff = diffOf(change);
      return {
        sections: [
          { header: headers[0], lines: addedLines(diff) },
          { header: headers[1], lines: deletedLines(diff) },
        ],
        share: 'joint',
        changedLines: changedLinesOf(diff),
      };
    },
    recover(text, escaper) {
      const [after, before] = recoverSections(text, headers, escaper);
      return { before, after };
    },
  });
}

function addedLines({ after, edits }: LineDiff): ShownLines[] {
  return edits.flatMap((edit) =>
    after.list(edit.after, edit.after + edit.added).map((text) => ({ tag: '', text, edit: 'added' as const })),
  );
}

function deletedLines({ before, edits }: LineDiff): ShownLines[] {
  return edits.flatMap((edit) =>
    before.list(edit.before, edit.before + edit.deleted).map((text) => ({ tag: '', text, edit: 'deleted' as const })),
  );
}

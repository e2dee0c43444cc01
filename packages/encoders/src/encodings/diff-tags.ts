import { RedefError } from '@redef/core';
import { hunksOf } from '../diff/hunks.js';
import { defineEncoding, type Encoding } from './encoding.js';
import { changedLinesOf, diffOf } from './lines.js';

export const addMark = '<ADD>';
export const deleteMark = '<DEL>';

export interface DiffTagsOptions {
  /** Unchanged lines shown on each side of an edit, 0 or more; `Infinity` shows the whole function. Default 3. */
  contextLines?: number;
}

/**
 * The changed lines with `<ADD>` or `<DEL>` in front and their local context (ReDef, section 3.2, encoding 4, after
 * DeepJIT).
 *
 * The paper fixes: changed lines and local context only, the two tags prepended. It leaves open: how much context, whether
 * a tag is one token, the order within an edit, what stands between hunks. Ours: 3 lines, git's own; added tokens with no
 * space after them; deleted before added, as git prints; nothing between hunks. `recover` gives the lines of each side
 * that are shown: the whole functions where `contextLines` is `Infinity` and they differ.
 *
 * @throws `RedefError` `invalid-option`
 */
export function diffTags({ contextLines = 3 }: DiffTagsOptions = {}): Encoding {
  checkContextLines(contextLines);
  return defineEncoding({
    name: 'diff-tags',
    specialTokens: [addMark, deleteMark],
    layout(change) {
      const diff = diffOf(change);
      const lines = hunksOf(diff, contextLines).flatMap((hunk) =>
        hunk.parts.map(({ kind, text }) =>
          kind === 'context' ? { tag: '', text } : { tag: kind === 'added' ? addMark : deleteMark, text, edit: kind },
        ),
      );
      return { sections: [{ lines }], share: 'joint', changedLines: changedLinesOf(diff) };
    },
    recover(text, escaper) {
      const lines = text === '' ? [] : text.split('\n');
      const side = (own: string, other: string): string =>
        lines
          .filter((line) => !line.startsWith(other))
          .map((line) => escaper.unescape(line.startsWith(own) ? line.slice(own.length) : line))
          .join('\n');
      return { before: side(deleteMark, addMark), after: side(addMark, deleteMark) };
    },
  });
}

export function checkContextLines(contextLines: number): void {
  if (!(contextLines >= 0) || (contextLines !== Infinity && !Number.isInteger(contextLines))) {
    throw new RedefError(`contextLines must be an integer of at least 0 or Infinity, got ${contextLines}`, {
      code: 'invalid-option',
      remedy: 'Leave it out for 3 lines.',
    });
  }
}

import { editFlags } from '../diff/edit-flags.js';
import type { LineDiff } from '../diff/line-diff.js';
import type { ShownLines } from '../layout.js';
import { checkContextLines, type DiffTagsOptions } from './diff-tags.js';
import { defineEncoding, type Encoding } from './encoding.js';
import { changedLinesOf, diffOf } from './lines.js';
import { recoverUnified, unifiedLines } from './unified-diff.js';

const opening = '<W>';
const closing = '</W>';

/** Words of one edit, both sides together, that are still compared: twenty times what any of the models reads. */
const maxWords = 20_000;

/**
 * {@link unifiedDiff} with the words that differ inside replaced lines between `<W>` and `</W>`, which are added tokens.
 * Not in the paper. Words are runs of letters and digits, runs of blanks, and single other characters; the deleted and
 * the added lines of an edit are compared as two lists of words, and a stretch of changed words is marked as one within its line. An
 * edit that only adds or only deletes has no marks, nor has one of more than 20,000 words, which `unmarkedEdits` counts. `recover` as for the unified diff.
 *
 * @throws `RedefError` `invalid-option`
 */
export function unifiedWords({ contextLines = 3 }: DiffTagsOptions = {}): Encoding {
  checkContextLines(contextLines);
  return defineEncoding({
    name: 'unified-words',
    specialTokens: [opening, closing],
    layout(change) {
      const diff = diffOf(change);
      const lines = unifiedLines(diff, contextLines);
      const unmarkedEdits = markWords(diff, lines);
      return {
        sections: [{ lines }],
        share: 'joint',
        changedLines: changedLinesOf(diff),
        ...(unmarkedEdits > 0 && { unmarkedEdits }),
      };
    },
    recover(text, escaper) {
      const { before, after } = recoverUnified(text.replaceAll(opening, '').replaceAll(closing, ''));
      return { before: escaper.unescape(before), after: escaper.unescape(after) };
    },
  });
}

/** Puts marks into the edited lines of a unified diff, which stand in the order of the diff's edits. Gives the number of edits that are too long. */
function markWords({ before, after, edits }: LineDiff, lines: ShownLines[]): number {
  const edited = lines.filter(({ edit }) => edit !== undefined);
  let position = 0;
  let tooLong = 0;
  for (const edit of edits) {
    const shown = edited.slice(position, position + edit.deleted + edit.added);
    position += shown.length;
    if (edit.deleted === 0 || edit.added === 0) continue;
    const deletedWords = wordsOf(before.join(edit.before, edit.before + edit.deleted));
    const addedWords = wordsOf(after.join(edit.after, edit.after + edit.added));
    if (deletedWords.length + addedWords.length > maxWords) {
      tooLong++;
      continue;
    }
    const { deleted, added } = editFlags(deletedWords, addedWords);
    const marked = [...markedLines(deletedWords, deleted), ...markedLines(addedWords, added)];
    for (const [i, line] of shown.entries()) line.text = marked[i]!;
  }
  return tooLong;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_$]+|\n|[^\S\n]+|[\s\S]/gu) ?? [];
}

function markedLines(words: readonly string[], changed: readonly number[]): string[] {
  let text = '';
  let open = false;
  for (const [i, word] of words.entries()) {
    const inside = changed[i] === 1 && word !== '\n';
    if (inside !== open) text += inside ? opening : closing;
    open = inside;
    text += word;
  }
  return `${text}${open ? closing : ''}`.split('\n');
}

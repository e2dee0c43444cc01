import { diffLines, type LineDiff } from '../diff/line-diff.js';
import type { TextLines } from '../diff/text-lines.js';
import type { ChangeText, ShownLines } from '../layout.js';

/** The line diff of a change's two functions. */
export function diffOf(change: ChangeText): LineDiff {
  return diffLines(change.function_before, change.function_after);
}

/** Lines added plus lines deleted. */
export function changedLinesOf({ edits }: LineDiff): number {
  return edits.reduce((total, { added, deleted }) => total + added + deleted, 0);
}

/** Every line of the function after the change, edited ones with `tag` in front. */
export function afterLines({ after, edits }: LineDiff, tag = ''): ShownLines[] {
  return wholeText(
    after,
    edits.map((edit) => ({ start: edit.after, count: edit.added })),
    { tag, edit: 'added' },
  );
}

/** Every line of the function before the change. */
export function beforeLines({ before, edits }: LineDiff): ShownLines[] {
  return wholeText(
    before,
    edits.map((edit) => ({ start: edit.before, count: edit.deleted })),
    { tag: '', edit: 'deleted' },
  );
}

function wholeText(
  lines: TextLines,
  edited: readonly { start: number; count: number }[],
  asEdited: Omit<ShownLines, 'text'>,
): ShownLines[] {
  const shown: ShownLines[] = [];
  let position = 0;
  const pushUnedited = (end: number): void => {
    if (position < end) shown.push({ tag: '', text: lines.join(position, end) });
  };
  for (const { start, count } of edited) {
    pushUnedited(start);
    position = start + count;
    for (let i = start; i < position; i++) shown.push({ ...asEdited, text: lines.line(i) });
  }
  pushUnedited(lines.length);
  return shown;
}

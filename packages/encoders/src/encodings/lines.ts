import { diffLines, type LineDiff } from '../diff/line-diff.js';
import type { ChangeText, ShownLine } from '../layout.js';

/** The line diff of a change's two functions. */
export function diffOf(change: ChangeText): LineDiff {
  return diffLines(change.function_before, change.function_after);
}

/** Lines added plus lines deleted. */
export function changedLinesOf({ edits }: LineDiff): number {
  return edits.reduce((total, { added, deleted }) => total + added + deleted, 0);
}

/** Every line of the function after the change, edited ones with `tag` in front. */
export function afterLines({ after, edits }: LineDiff, tag = ''): ShownLine[] {
  const lines: ShownLine[] = after.map((text) => ({ tag: '', text }));
  for (const edit of edits) {
    for (let i = edit.after; i < edit.after + edit.added; i++) {
      lines[i] = { tag, text: after[i]!, edit: 'added' };
    }
  }
  return lines;
}

/** Every line of the function before the change, edited ones with `tag` in front. */
export function beforeLines({ before, edits }: LineDiff, tag = ''): ShownLine[] {
  const lines: ShownLine[] = before.map((text) => ({ tag: '', text }));
  for (const edit of edits) {
    for (let i = edit.before; i < edit.before + edit.deleted; i++) {
      lines[i] = { tag, text: before[i]!, edit: 'deleted' };
    }
  }
  return lines;
}

import type { Edit, LineDiff } from './line-diff.js';

/** Edits close enough to share their context, as unified diffs group them. */
export interface HunkLines {
  /** 0-based index of the first line on each side, context included. */
  before: number;
  after: number;
  lines: HunkLine[];
}

export interface HunkLine {
  kind: 'context' | 'deleted' | 'added';
  text: string;
}

/**
 * The hunks of a diff with up to `context` equal lines around each edit. Two edits share a hunk where no more than twice
 * as many equal lines lie between them. In each edit the deleted lines come before the added ones, as git prints them.
 */
export function hunksOf({ before, after, edits }: LineDiff, context: number): HunkLines[] {
  const hunks: HunkLines[] = [];
  let last: Edit | undefined;
  let hunk: HunkLines | undefined;
  const pushContext = (start: number, end: number): void => {
    for (let i = start; i < end; i++) hunk!.lines.push({ kind: 'context', text: before[i]! });
  };
  for (const edit of edits) {
    const lastEnd = last ? last.before + last.deleted : 0;
    if (hunk && edit.before - lastEnd <= 2 * context) {
      pushContext(lastEnd, edit.before);
    } else {
      if (hunk) pushContext(lastEnd, lastEnd + context);
      const lead = Math.min(context, edit.before);
      hunk = { before: edit.before - lead, after: edit.after - lead, lines: [] };
      hunks.push(hunk);
      pushContext(edit.before - lead, edit.before);
    }
    for (let i = 0; i < edit.deleted; i++) hunk.lines.push({ kind: 'deleted', text: before[edit.before + i]! });
    for (let i = 0; i < edit.added; i++) hunk.lines.push({ kind: 'added', text: after[edit.after + i]! });
    last = edit;
  }
  if (hunk && last) {
    const end = last.before + last.deleted;
    pushContext(end, Math.min(before.length, end + context));
  }
  return hunks;
}

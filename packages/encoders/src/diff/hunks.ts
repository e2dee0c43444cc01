import type { Edit, LineDiff } from './line-diff.js';

/** Edits close enough to share their context, as unified diffs group them. */
export interface Hunk {
  /** 0-based index of the first line on each side, context included. */
  before: number;
  after: number;
  /** Lines of each side, context included. */
  beforeLines: number;
  afterLines: number;
  parts: HunkPart[];
}

/** One edited line, or the equal lines between two edits. */
export interface HunkPart {
  kind: 'context' | 'deleted' | 'added';
  text: string;
}

/**
 * The hunks of a diff with up to `context` equal lines around each edit. Two edits share a hunk where no more than twice
 * as many equal lines lie between them. In each edit the deleted lines come before the added ones, as git prints them.
 */
export function hunksOf({ before, after, edits }: LineDiff, context: number): Hunk[] {
  const hunks: Hunk[] = [];
  let last: Edit | undefined;
  let hunk: Hunk | undefined;
  const pushContext = (start: number, end: number): void => {
    if (start === end) return;
    hunk!.parts.push({ kind: 'context', text: before.join(start, end) });
    hunk!.beforeLines += end - start;
    hunk!.afterLines += end - start;
  };
  for (const edit of edits) {
    const lastEnd = last ? last.before + last.deleted : 0;
    if (hunk && edit.before - lastEnd <= 2 * context) {
      pushContext(lastEnd, edit.before);
    } else {
      if (hunk) pushContext(lastEnd, lastEnd + context);
      const lead = Math.min(context, edit.before);
      hunk = { before: edit.before - lead, after: edit.after - lead, beforeLines: 0, afterLines: 0, parts: [] };
      hunks.push(hunk);
      pushContext(edit.before - lead, edit.before);
    }
    for (let i = 0; i < edit.deleted; i++) hunk.parts.push({ kind: 'deleted', text: before.line(edit.before + i) });
    for (let i = 0; i < edit.added; i++) hunk.parts.push({ kind: 'added', text: after.line(edit.after + i) });
    hunk.beforeLines += edit.deleted;
    hunk.afterLines += edit.added;
    last = edit;
  }
  if (hunk && last) {
    const end = last.before + last.deleted;
    pushContext(end, Math.min(before.length, end + context));
  }
  return hunks;
}

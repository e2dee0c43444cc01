import { type EditFlags, lineFlags } from './edit-flags.js';
import { slideEdits } from './slide-edits.js';
import { TextLines } from './text-lines.js';

/** One stretch of lines: equal on both sides, or replaced (`deleted` lines of `before` by `added` lines of `after`). */
export interface Edit {
  /** 0-based index of the first line on each side. */
  before: number;
  after: number;
  deleted: number;
  added: number;
}

/** Two texts as lines, and where they differ. */
export interface LineDiff {
  before: TextLines;
  after: TextLines;
  /** In order; no two touch. */
  edits: readonly Edit[];
}

/**
 * Line diff of two texts, whole lines compared exactly. Minimal (Myers, 1986) up to 256 edits in a stretch and close to it
 * beyond, so that time stays linear in the number of lines. Of several shortest scripts it is the one that git prints,
 * but where lines repeat often: git sets some of those aside before it searches and may print another, mostly a longer one.
 */
export function diffLines(before: string, after: string): LineDiff {
  const a = new TextLines(before);
  const b = new TextLines(after);
  const flags = lineFlags(a, b);
  slideEdits(a, b, flags);
  return { before: a, after: b, edits: editsOf(a.length, b.length, flags) };
}

/** The stretches of flagged items between two lists of the lengths given. */
export function editsOf(beforeLength: number, afterLength: number, { deleted, added }: EditFlags): Edit[] {
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < beforeLength || j < afterLength) {
    if (!deleted[i] && !added[j]) {
      i++;
      j++;
      continue;
    }
    const edit = { before: i, after: j, deleted: 0, added: 0 };
    while (i < beforeLength && deleted[i]) {
      i++;
      edit.deleted++;
    }
    while (j < afterLength && added[j]) {
      j++;
      edit.added++;
    }
    edits.push(edit);
  }
  return edits;
}

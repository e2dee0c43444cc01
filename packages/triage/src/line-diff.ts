import { diffArrays } from 'diff';

/** One line of a comparison, in the order a unified diff shows it. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** 0-based line in the text before; absent for an added line. */
  before?: number;
  /** 0-based line in the text after; absent for a removed line. */
  after?: number;
}

/** Beyond this many edits the texts share too little for a diff to help, and Myers' algorithm grows quadratic. */
const maxEdits = 1000;

/** Line by line, shortest edit script; texts that differ nearly everywhere come out as all removed, then all added. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  const changes = diffArrays(old, now, { maxEditLength: maxEdits }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  const lines: DiffLine[] = [];
  let b = 0;
  let a = 0;
  for (const { removed, added, value } of changes) {
    for (const text of value) {
      if (removed) lines.push({ kind: 'removed', text, before: b++ });
      else if (added) lines.push({ kind: 'added', text, after: a++ });
      else lines.push({ kind: 'same', text, before: b++, after: a++ });
    }
  }
  return lines;
}

/** The hunks of a unified diff with `context` lines around each, numbered from 1 at the function's first line. */
export function unifiedDiff(lines: readonly DiffLine[], context = 3): string {
  const shown = new Uint8Array(lines.length);
  lines.forEach((line, index) => {
    if (line.kind !== 'same') shown.fill(1, Math.max(0, index - context), index + context + 1);
  });
  const hunks: string[] = [];
  let before = 1;
  let after = 1;
  for (let start = 0; start < lines.length; ) {
    let end = start;
    while (end < lines.length && shown[end] === shown[start]) end++;
    const part = lines.slice(start, end);
    const removed = part.filter((line) => line.kind !== 'added').length;
    const added = part.filter((line) => line.kind !== 'removed').length;
    if (shown[start]) {
      hunks.push(`@@ -${range(before, removed)} +${range(after, added)} @@`);
      for (const { kind, text } of part) hunks.push(`${signs[kind]}${text}`);
    }
    before += removed;
    after += added;
    start = end;
  }
  return hunks.join('\n');
}

const signs = { same: ' ', removed: '-', added: '+' } as const;

/** As git writes it: an empty side names the line before it. */
const range = (first: number, count: number) => `${count === 0 ? first - 1 : first},${count}`;

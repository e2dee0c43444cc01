import { type DiffLine, diffLines } from '../line-diff.js';

/** One side of a row; absent where the other side has a line and this one has none. */
export interface Cell {
  /** 1-based. */
  line: number;
  text: string;
}

export interface Row {
  changed: boolean;
  before?: Cell;
  after?: Cell;
}

/** Both texts whole, line beside line: a stretch of removed lines stands next to the added lines that replace it. */
export function sideBySide(before: string, after: string): Row[] {
  const rows: Row[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      const row: Row = { changed: true };
      const left = removed[i];
      const right = added[i];
      if (left) row.before = { line: left.before! + 1, text: left.text };
      if (right) row.after = { line: right.after! + 1, text: right.text };
      rows.push(row);
    }
    removed = [];
    added = [];
  };
  for (const line of diffLines(before, after)) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({
        changed: false,
        before: { line: line.before! + 1, text: line.text },
        after: { line: line.after! + 1, text: line.text },
      });
    }
  }
  flush();
  return rows;
}

import { hunksOf } from '../diff/hunks.js';
import type { LineDiff } from '../diff/line-diff.js';
import type { ShownLines } from '../layout.js';
import { checkContextLines, type DiffTagsOptions } from './diff-tags.js';
import { defineEncoding, type Encoding } from './encoding.js';
import { changedLinesOf, diffOf } from './lines.js';

/**
 * The hunks of `git diff` (but see `diffLines`) for the two functions, each taken as a file whose last line ends:
 * `@@ -1,4 +1,5 @@ heading`, then lines with ' ', `-` or `+` in front. Not in the paper; the form that code models have read
 * most. No added tokens: the first character of a line tells what it is. `recover` gives the lines of each side that are
 * shown.
 *
 * @throws `RedefError` `invalid-option`
 */
export function unifiedDiff({ contextLines = 3 }: DiffTagsOptions = {}): Encoding {
  checkContextLines(contextLines);
  return defineEncoding({
    name: 'unified-diff',
    layout(change) {
      const diff = diffOf(change);
      return {
        sections: [{ lines: unifiedLines(diff, contextLines) }],
        share: 'joint',
        changedLines: changedLinesOf(diff),
      };
    },
    recover: (text) => recoverUnified(text),
  });
}

export function unifiedLines(diff: LineDiff, contextLines: number): ShownLines[] {
  const shown: ShownLines[] = [];
  let heading = '';
  let searched = 0;
  for (const { before, after, beforeLines, afterLines, parts } of hunksOf(diff, contextLines)) {
    for (let i = before - 1; i >= searched; i--) {
      const line = diff.before.line(i);
      if (/^[A-Za-z_$]/.test(line)) {
        heading = headingOf(line);
        break;
      }
    }
    searched = Math.max(searched, before);
    const ranges = `@@ -${range(before, beforeLines)} +${range(after, afterLines)} @@`;
    shown.push({ tag: '', text: heading === '' ? ranges : `${ranges} ${heading}` });
    for (const { kind, text } of parts) {
      if (kind === 'context') shown.push({ tag: '', text: ` ${text.replaceAll('\n', '\n ')}` });
      else shown.push({ tag: kind === 'added' ? '+' : '-', text, edit: kind });
    }
  }
  return shown;
}

export function recoverUnified(text: string): { before: string; after: string } {
  const lines = text === '' ? [] : text.split('\n').filter((line) => !line.startsWith('@@'));
  const side = (other: string): string =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => line.slice(1))
      .join('\n');
  return { before: side('+'), after: side('-') };
}

/** First line, 1-based, and count; git leaves out a count of 1 and names the line before an empty range. */
function range(start: number, count: number): string {
  const first = count === 0 ? start : start + 1;
  return count === 1 ? `${first}` : `${first},${count}`;
}

/** The first 80 bytes of the line above that looks like a definition. */
function headingOf(line: string): string {
  return Buffer.from(line)
    .subarray(0, 80)
    .toString()
    .replace(/[\s]+$/, '');
}

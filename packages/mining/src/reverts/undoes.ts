import type { Hunk } from '@redef/core';
import { languageOf } from '../functions/language.js';
import { scanFunctions } from '../functions/scanner.js';
import type { FunctionSpan } from '../functions/scanner-state.js';
import { diffLines } from '../text/line-diff.js';

/** The lines that a change takes away and adds, white space at their ends left out. */
export interface ChangedLines {
  removed: string[];
  added: string[];
}

/**
 * How much of a change a revert takes back: of the lines that the change added and removed, the share that the revert
 * removes and adds again, each as often as it occurs. Blank lines count only where there are no others.
 *
 * @returns 0 to 1
 */
export function undoes(change: ChangedLines, revert: ChangedLines): number {
  const relevant = [change.added, change.removed].some((lines) => lines.some((line) => line !== ''));
  const own = (lines: readonly string[]): readonly string[] => (relevant ? lines.filter((line) => line !== '') : lines);
  const total = own(change.added).length + own(change.removed).length;
  if (total === 0) return 0;
  return (common(own(change.added), own(revert.removed)) + common(own(change.removed), own(revert.added))) / total;
}

function common(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of a) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of b) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    shared++;
  }
  return shared;
}

/** The changed lines of a single-function change, from its texts and hunks. */
export function linesOfChange(before: Buffer, after: Buffer, hunks: readonly Hunk[]): ChangedLines {
  return changedLines(
    before,
    after,
    hunks,
    () => true,
    () => true,
  );
}

/** The changed lines of a file within the functions of a name; of the whole file where neither version has one. */
export function linesInFunction(before: Buffer, after: Buffer, path: string, name: string): ChangedLines {
  const spans = (bytes: Buffer): FunctionSpan[] =>
    scanFunctions(bytes, languageOf(path, bytes)).functions.filter((span) => span.name === name);
  const [old, now] = [spans(before), spans(after)];
  const { hunks } = diffLines(before, after);
  const everywhere = old.length === 0 && now.length === 0;
  const within = (functions: readonly FunctionSpan[]) => (line: number) =>
    everywhere || functions.some(({ startLine, endLine }) => startLine <= line && line <= endLine);
  return changedLines(before, after, hunks, within(old), within(now));
}

function changedLines(
  before: Buffer,
  after: Buffer,
  hunks: readonly Hunk[],
  oldLine: (line: number) => boolean,
  newLine: (line: number) => boolean,
): ChangedLines {
  const removed: string[] = [];
  const added: string[] = [];
  const [old, now] = [before.toString('latin1').split('\n'), after.toString('latin1').split('\n')];
  for (const { old_start, old_count, new_start, new_count } of hunks) {
    for (let line = old_start; line < old_start + old_count; line++)
      if (oldLine(line)) removed.push((old[line - 1] ?? '').trim());
    for (let line = new_start; line < new_start + new_count; line++)
      if (newLine(line)) added.push((now[line - 1] ?? '').trim());
  }
  return { removed, added };
}

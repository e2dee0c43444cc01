import type { Hunk } from '@redef/core';
import { counterpart, functionsAt } from '../functions/match-functions.js';
import type { FunctionSpan } from '../functions/scanner-state.js';

/** One function that a change of its file modified, on both sides. */
export interface TouchedFunction {
  before: FunctionSpan | undefined;
  after: FunctionSpan | undefined;
}

export interface Touched {
  functions: TouchedFunction[];
  /** Changed lines that lie in no function. */
  outside: boolean;
  /** A changed line that two functions share. */
  shared: boolean;
}

/** Finds the functions that own the changed lines of a diff. */
export function touchedFunctions(
  hunks: readonly Hunk[],
  before: readonly FunctionSpan[],
  after: readonly FunctionSpan[],
): Touched {
  const touchedBefore = new Set<number>();
  const touchedAfter = new Set<number>();
  let outside = false;
  let shared = false;
  const collect = (functions: readonly FunctionSpan[], start: number, count: number, into: Set<number>): void => {
    for (let line = start; line < start + count; ) {
      const found = functionsAt(functions, line);
      if (!found) {
        outside = true;
        line = nextStart(functions, line);
        continue;
      }
      if (found.first !== found.last) shared = true;
      for (let i = found.first; i <= found.last; i++) into.add(i);
      line = functions[found.last]!.endLine + 1;
    }
  };
  for (const hunk of hunks) {
    collect(before, hunk.old_start, hunk.old_count, touchedBefore);
    collect(after, hunk.new_start, hunk.new_count, touchedAfter);
  }

  const functions: TouchedFunction[] = [];
  const seen = new Set<FunctionSpan>();
  for (const index of touchedBefore) {
    const other = counterpart(before, index, after, hunks, 'forward');
    if (other) seen.add(other);
    functions.push({ before: before[index]!, after: other });
  }
  for (const index of touchedAfter) {
    if (seen.has(after[index]!)) continue;
    functions.push({ before: counterpart(after, index, before, hunks, 'backward'), after: after[index]! });
  }
  return { functions, outside, shared };
}

/** The first line of the next function after a line outside all. */
function nextStart(functions: readonly FunctionSpan[], line: number): number {
  let low = 0;
  let high = functions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (functions[middle]!.startLine > line) high = middle;
    else low = middle + 1;
  }
  return functions[low]?.startLine ?? Number.MAX_SAFE_INTEGER;
}

import type { Rng } from '@redef/core';
import { diffLines, type Edit, type LineDiff } from '../diff/line-diff.js';
import type { Perturbation } from './counterfactual.js';

const testOnly = { train: false, test: true } as const;

/**
 * The added lines in random order among their places in after, the deleted lines among theirs in before. The bag of
 * changed lines stays, their sequence goes. Applied twice it shuffles again.
 */
export const shuffledLines: Perturbation = {
  name: 'shuffled-lines',
  effect: 'meaning',
  appliesTo: testOnly,
  perturbChange(change, rng) {
    const { before, after, edits } = diffLines(change.function_before, change.function_after);
    const deleted = edits.flatMap((edit) => range(edit.before, edit.deleted));
    const added = edits.flatMap((edit) => range(edit.after, edit.added));
    return {
      ...change,
      function_before: shuffleAt(before.list(), deleted, rng.fork('deleted')).join('\n'),
      function_after: shuffleAt(after.list(), added, rng.fork('added')).join('\n'),
    };
  },
};

/**
 * One changed line, drawn among all, left out of the change: an added line is not added, or a deleted line is not
 * deleted. A change of one line becomes none. Applied twice it drops two.
 */
export const droppedLine: Perturbation = {
  name: 'dropped-line',
  effect: 'meaning',
  appliesTo: testOnly,
  perturbChange(change, rng) {
    const diff = diffLines(change.function_before, change.function_after);
    const changed = diff.edits.flatMap((edit) => [
      ...range(edit.before, edit.deleted).map((line) => ({ edit, line, added: false })),
      ...range(edit.after, edit.added).map((line) => ({ edit, line, added: true })),
    ]);
    if (changed.length === 0) return change;
    const dropped = changed[rng.integer(changed.length)]!;
    return {
      ...change,
      function_after: rebuild(diff, (edit) => {
        const added = diff.after.list(edit.after, edit.after + edit.added);
        if (edit !== dropped.edit) return added;
        return dropped.added
          ? added.toSpliced(dropped.line - edit.after, 1)
          : [diff.before.line(dropped.line), ...added];
      }),
    };
  },
};

/** The text after a change, each edit's added lines replaced by what `lines` gives for it. */
export function rebuild({ before, edits }: LineDiff, lines: (edit: Edit, index: number) => readonly string[]): string {
  const parts: (readonly string[])[] = [];
  let position = 0;
  for (const [index, edit] of edits.entries()) {
    parts.push(before.list(position, edit.before), lines(edit, index));
    position = edit.before + edit.deleted;
  }
  parts.push(before.list(position));
  return parts.flat().join('\n');
}

function range(start: number, length: number): number[] {
  return Array.from({ length }, (_, i) => start + i);
}

function shuffleAt(lines: readonly string[], places: readonly number[], rng: Rng): string[] {
  const result = [...lines];
  const shuffled = rng.shuffle(places);
  for (const [i, place] of places.entries()) result[place] = lines[shuffled[i]!]!;
  return result;
}

import type { TextLines } from './text-lines.js';

// Weights of git's indent heuristic (diff.indentHeuristic, on by default since git 2.14), fitted by its author to diffs
// that people had judged.
const weights = {
  startOfFile: 1,
  endOfFile: 21,
  totalBlank: -30,
  blankAfter: 6,
  indent: -4,
  indentWithBlank: 10,
  outdent: 24,
  outdentWithBlank: 17,
  dedent: 23,
  dedentWithBlank: 17,
  effectiveIndent: 60,
};
const maxIndent = 200;
const maxBlanks = 20;

/** How good two borders of an edited stretch look; lower is better. */
export interface SplitScore {
  effectiveIndent: number;
  penalty: number;
  compare(other: SplitScore): number;
}

/** The score of cutting `lines` before each of two of their indexes. */
export function splitScore(lines: TextLines, first: number, second: number): SplitScore {
  const [a, b] = [borderScore(lines, first), borderScore(lines, second)];
  return {
    effectiveIndent: a.effectiveIndent + b.effectiveIndent,
    penalty: a.penalty + b.penalty,
    compare(other) {
      return (
        weights.effectiveIndent * Math.sign(this.effectiveIndent - other.effectiveIndent) + this.penalty - other.penalty
      );
    },
  };
}

function borderScore(lines: TextLines, split: number): { effectiveIndent: number; penalty: number } {
  const own = split < lines.length ? indentOf(lines.line(split)) : undefined;
  const before = nextIndent(lines, split - 1, -1);
  const after = nextIndent(lines, split + 1, 1);
  let penalty = 0;
  if (before.indent === undefined && before.blanks === 0) penalty += weights.startOfFile;
  if (split >= lines.length) penalty += weights.endOfFile;
  const blanksAfter = own === undefined ? 1 + after.blanks : 0;
  const blanks = before.blanks + blanksAfter;
  penalty += weights.totalBlank * blanks + weights.blankAfter * blanksAfter;
  const indent = own ?? after.indent;
  if (indent !== undefined && before.indent !== undefined && indent !== before.indent) {
    const kind =
      indent > before.indent ? 'indent' : after.indent !== undefined && after.indent > indent ? 'outdent' : 'dedent';
    penalty += weights[blanks > 0 ? (`${kind}WithBlank` as const) : kind];
  }
  return { effectiveIndent: indent ?? -1, penalty };
}

/** The indent of the first line with one, from `index` on in steps of `step`, and the blank lines passed on the way. */
function nextIndent(lines: TextLines, index: number, step: number): { indent: number | undefined; blanks: number } {
  let blanks = 0;
  for (let i = index; i >= 0 && i < lines.length; i += step) {
    const indent = indentOf(lines.line(i));
    if (indent !== undefined) return { indent, blanks };
    if (++blanks === maxBlanks) return { indent: 0, blanks };
  }
  return { indent: undefined, blanks };
}

/** Columns before the first other character, tabs to every eighth; `undefined` for a blank line. */
function indentOf(line: string): number | undefined {
  let columns = 0;
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (character === ' ') columns++;
    else if (character === '\t') columns += 8 - (columns % 8);
    else if (!/[\n\v\f\r]/.test(character)) return columns;
    if (columns >= maxIndent) return maxIndent;
  }
  return undefined;
}

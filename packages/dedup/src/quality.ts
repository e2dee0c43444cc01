import { isWellFormed } from './cell-text.js';
import { Uint32List } from './digest-table.js';
import type { Layout } from './layout.js';
import type { Row } from './rows.js';
import { stripMarkers, stripTag, tagOf } from './strip.js';
import { createTokenSpans, scanTokens } from './tokens.js';

/**
 * What can be wrong with a row as such (R+R, sections 2.3, 2.4 and 6, as far as a machine can see it):
 * - `empty-function`: no code, or nothing but a tag and markers
 * - `truncated-function`: its braces do not balance outside literals and comments
 * - `missing-tag`, `missing-markers`: none, where another row of the set has one
 * - `unbalanced-markers`: a region without start or end, or a patch whose end marker comes before its start
 * - `empty-target`: nothing in the repaired column
 * - `before-equals-after`: the repair changes nothing
 * - `damaged-encoding`: replacement characters, control characters, halves of surrogate pairs, UTF-8 read as Latin-1
 * - `length-outlier`: longer or shorter than the fences, see {@link LengthSummary}
 */
export const qualityIssues = [
  'empty-function',
  'truncated-function',
  'missing-tag',
  'missing-markers',
  'unbalanced-markers',
  'empty-target',
  'before-equals-after',
  'damaged-encoding',
  'length-outlier',
] as const;
export type QualityIssue = (typeof qualityIssues)[number];

/** Lengths of the code column, in UTF-16 units. Outliers lie more than three quartile ranges outside the quartiles of the logarithm. */
export interface LengthSummary {
  min: number;
  median: number;
  max: number;
  /** Shortest and longest length that is no outlier. */
  fences: [number, number];
}

export interface SetQuality {
  /** Rows with each issue; a row may have several. */
  issues: Record<QualityIssue, number>;
  /** The first rows with each issue that occurs. */
  examples: Partial<Record<QualityIssue, number[]>>;
  /** The same rows by their `id`, where the rows have one. */
  exampleIds?: Partial<Record<QualityIssue, string[]>>;
  lengths: LengthSummary | null;
}

const maxExamples = 20;
/** A text of a tag and a few markers alone is shorter than this; the two markers of a region with their spaces are no longer than that. */
const shortText = 1000;
const markersLength = 40;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const damage = /[\uFFFD\u0000-\u0008\u000e-\u001f\u007f]|[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac/;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Checks one set's rows as they arrive. */
export class QualityChecker {
  readonly #layout: Layout;
  readonly #issues = Object.fromEntries(qualityIssues.map((issue) => [issue, 0])) as Record<QualityIssue, number>;
  readonly #examples: Partial<Record<QualityIssue, number[]>> = {};
  readonly #lengths = new Uint32List();
  readonly #spans = createTokenSpans();
  #bytes = Buffer.allocUnsafe(1 << 16);
  #rows = 0;
  #tagged = 0;
  #marked = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  add(row: number, value: Row): void {
    const { code: codeColumn, repaired: repairedColumn } = this.#layout;
    if (codeColumn === undefined) return;
    const text = textIn(value, codeColumn);
    const repaired = repairedColumn === undefined ? undefined : textIn(value, repairedColumn);
    this.#lengths.set(this.#rows++, text.length);

    if (text.length < shortText ? bare(text) === '' : text.trim() === '') this.#found('empty-function', row);
    else if (!this.#balanced(text)) this.#found('truncated-function', row);

    if (tagOf(text) === undefined) this.#found('missing-tag', row);
    else this.#tagged++;
    const regions = markerBalance(text, 'StartBug>', 'EndBug>');
    if (regions === 0) this.#found('missing-markers', row);
    if (regions !== undefined && regions > 0) this.#marked++;
    const patches = repaired === undefined ? 0 : patchBalance(repaired);
    if (regions === undefined || patches === undefined) this.#found('unbalanced-markers', row);

    if (repaired !== undefined) {
      if (repaired.trim() === '') this.#found('empty-target', row);
      else if (
        repaired === text ||
        (repaired.length + shortText + markersLength * (regions ?? Number.POSITIVE_INFINITY) >= text.length &&
          repaired.trim() === bare(text))
      ) {
        this.#found('before-equals-after', row);
      }
    }
    if (isDamaged(text) || (repaired !== undefined && isDamaged(repaired))) this.#found('damaged-encoding', row);
  }

  result(): SetQuality {
    const lengths = this.#summary();
    // A set without tags or markers is of another kind: nothing is missing there.
    if (this.#tagged === 0) this.#forget('missing-tag');
    if (this.#marked === 0) this.#forget('missing-markers');
    return { issues: this.#issues, examples: this.#examples, lengths };
  }

  #summary(): LengthSummary | null {
    if (this.#rows === 0) return null;
    const lengths = Uint32Array.from({ length: this.#rows }, (_none, index) => this.#lengths.get(index));
    const sorted = lengths.toSorted();
    const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
    const [low, high] = [Math.log2(quantile(0.25) + 1), Math.log2(quantile(0.75) + 1)];
    const reach = 3 * Math.max(high - low, 0.5);
    const fences: [number, number] = [
      Math.max(0, Math.ceil(2 ** (low - reach) - 1)),
      Math.floor(2 ** (high + reach) - 1),
    ];
    for (const [row, length] of lengths.entries()) {
      if (length < fences[0] || length > fences[1]) this.#found('length-outlier', row);
    }
    return { min: sorted[0]!, median: quantile(0.5), max: sorted.at(-1)!, fences };
  }

  #balanced(code: string): boolean {
    const room = code.length * 3;
    if (room > this.#bytes.length) this.#bytes = Buffer.allocUnsafe(room * 2);
    scanTokens(this.#bytes, 0, this.#bytes.write(code), this.#spans);
    let depth = 0;
    for (let token = 0; token < this.#spans.count && depth >= 0; token++) {
      const byte = this.#bytes[this.#spans.starts[token]!]!;
      if (byte === openBrace) depth++;
      else if (byte === closeBrace) depth--;
    }
    return depth === 0;
  }

  #found(issue: QualityIssue, row: number): void {
    this.#issues[issue]++;
    this.#examples[issue] ??= [];
    if (this.#examples[issue].length < maxExamples) this.#examples[issue].push(row);
  }

  #forget(issue: QualityIssue): void {
    this.#issues[issue] = 0;
    delete this.#examples[issue];
  }
}

/** The code without tag, markers and the white space around it. */
function bare(text: string): string {
  return stripMarkers(stripTag(text)).trim();
}

function textIn(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

function isDamaged(text: string): boolean {
  return damage.test(text) || !isWellFormed(text);
}

/** The number of regions, or `undefined` where starts and ends do not take turns. */
function markerBalance(text: string, start: string, end: string): number | undefined {
  let regions = 0;
  let at = 0;
  for (;;) {
    const opened = text.indexOf(start, at);
    const closed = text.indexOf(end, at);
    if (opened < 0 && closed < 0) return regions;
    if (opened < 0 || closed < opened) return undefined;
    const again = text.indexOf(start, opened + start.length);
    if (again >= 0 && again < closed) return undefined;
    regions++;
    at = closed + end.length;
  }
}

/** Patches in VRepair's format: an insertion has a start alone, so only an end without a start is wrong. */
function patchBalance(text: string): number | undefined {
  let patches = 0;
  let open = false;
  for (const [marker] of text.matchAll(/<(?:S2SV_)?Mod(?:Start|End)>/g)) {
    if (marker.includes('Start')) {
      patches++;
      open = true;
    } else if (open) open = false;
    else return undefined;
  }
  return patches;
}

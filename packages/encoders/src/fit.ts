import { RedefError } from '@redef/core';
import { type Layout, renderLayout, type Section } from './layout.js';
import { type Budget, coveredLength, type Tokenizer } from './tokenizers/tokenizer.js';

/** A change as a model sees it, and what the budget cut off. */
export interface EncodedChange {
  id: string;
  /** At most `maxTokens` ids: the tokenizer's prefix, what fits of the text, its suffix. No padding. */
  inputIds: Int32Array;
  /** The whole text, before anything was cut. */
  text: string;
  /** Ids of the whole text, special tokens not included. */
  tokens: number;
  /** Of these, how many the budget cut off. */
  tokensLost: number;
  /** Lines added plus lines deleted by the change. */
  changedLines: number;
  /** Of these, how many the encoding shows before anything is cut: after-only shows no deleted line. */
  changedLinesShown: number;
  /** Of these, how many are whole within the budget. */
  changedLinesKept: number;
  /** Marks of the encoding that stood in the source text and were escaped. */
  escapedMarks: number;
  /** Edits too long for the word marks that `unified-words` promises; absent where there are none. */
  unmarkedEdits?: number;
}

/** Tokenizes a layout and cuts it to the budget. `tokenizer` has the encoding's marks added: see {@link withMarks}. */
export function fitLayout(id: string, layout: Layout, { tokenizer, maxTokens }: Budget): EncodedChange {
  const texts = renderLayout(layout);
  return fitIds(
    id,
    layout,
    texts,
    texts.map((text) => tokenizer.encode(text)),
    { tokenizer, maxTokens },
  );
}

/** {@link fitLayout} for ids at hand, one list for each text of `renderLayout`. */
export function fitIds(
  id: string,
  layout: Layout,
  texts: readonly string[],
  ids: readonly Int32Array[],
  { tokenizer, maxTokens }: Budget,
): EncodedChange {
  const { prefix, suffix } = tokenizer;
  const room = maxTokens - prefix.length - suffix.length;
  if (!Number.isInteger(maxTokens) || room < 0) {
    throw new RedefError(
      `maxTokens must be an integer with room for the ${prefix.length + suffix.length} special tokens of ${tokenizer.id}, got ${maxTokens}`,
      { code: 'invalid-option', remedy: 'Pass the maximum input length of the model, such as 512.' },
    );
  }
  const kept = shareRoom(
    ids.map((part) => part.length),
    room,
  );
  const inputIds = new Int32Array(prefix.length + sum(kept) + suffix.length);
  inputIds.set(prefix);
  let offset = prefix.length;
  let changedLinesShown = 0;
  let changedLinesKept = 0;
  for (const [part, partIds] of ids.entries()) {
    const count = kept[part]!;
    inputIds.set(partIds.subarray(0, count), offset);
    offset += count;
    const sections = layout.share === 'joint' ? layout.sections : [layout.sections[part]!];
    const length = coveredLength(tokenizer, texts[part]!, partIds, count);
    const lines = countEdited(sections, part > 0, length);
    changedLinesShown += lines.shown;
    changedLinesKept += lines.kept;
  }
  inputIds.set(suffix, offset);
  const tokens = sum(ids.map((part) => part.length));
  return {
    id,
    inputIds,
    text: texts.length === 1 ? texts[0]! : texts.join(''),
    tokens,
    tokensLost: tokens - sum(kept),
    changedLines: layout.changedLines,
    changedLinesShown,
    changedLinesKept,
    escapedMarks: layout.escapedMarks,
    ...(layout.unmarkedEdits !== undefined && { unmarkedEdits: layout.unmarkedEdits }),
  };
}

/** Tokens kept of each part. Two parts have half each, the odd one to the second, and what one leaves free the other takes. */
function shareRoom(lengths: readonly number[], room: number): number[] {
  if (lengths.length === 1) return [Math.min(lengths[0]!, room)];
  const [first, second] = lengths as [number, number];
  const firstKept = Math.min(first, Math.max(Math.floor(room / 2), room - second));
  return [firstKept, Math.min(second, room - firstKept)];
}

/** Edited lines of the sections, and how many end within the first `length` UTF-16 units of their text. */
function countEdited(
  sections: readonly Section[],
  leadingBreak: boolean,
  length: number,
): { shown: number; kept: number } {
  let shown = 0;
  let kept = 0;
  let end = leadingBreak ? 0 : -1; // of the line before, its break not counted
  for (const { header, lines } of sections) {
    if (header !== undefined) end += 1 + header.length;
    for (const { tag, text, edit } of lines) {
      end += 1 + tag.length + text.length;
      if (edit === undefined) continue;
      shown++;
      if (end <= length) kept++;
    }
  }
  return { shown, kept };
}

const withMarksCache = new WeakMap<Tokenizer, Map<string, Tokenizer>>();

/**
 * The tokenizer with an encoding's marks as added tokens; built once for each pair. A model that is trained on several
 * encodings should add all their marks first, so that each mark has one id throughout; an encoding escapes its own marks
 * alone, so the others are then found where they stand in a source.
 */
export function withMarks<T extends Tokenizer>(tokenizer: T, marks: readonly string[]): T {
  if (marks.length === 0) return tokenizer;
  const made = withMarksCache.get(tokenizer) ?? new Map<string, Tokenizer>();
  withMarksCache.set(tokenizer, made);
  const key = marks.join('\n');
  const marked = made.get(key) ?? tokenizer.addTokens(marks);
  made.set(key, marked);
  return marked as T;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

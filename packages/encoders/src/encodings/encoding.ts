import { checkChange } from '../check-change.js';
import { type EncodedChange, fitLayout, withMarks } from '../fit.js';
import type { ChangeText, Layout } from '../layout.js';
import { createMarkEscaper, type MarkEscaper } from '../marks.js';
import type { Budget } from '../tokenizers/tokenizer.js';

/** A way to show a change to a model. Pure: the same change and budget give the same ids. */
export interface Encoding {
  readonly name: string;
  /** Marks that become added tokens of the tokenizer (`<ADD>`). */
  readonly specialTokens: readonly string[];
  /** The change laid out in lines, nothing cut: what `encode` tokenizes. */
  layout(change: ChangeText): Layout;
  /**
   * The change as ids within the budget.
   *
   * @throws `RedefError` `invalid-option` where `maxTokens` has no room for the tokenizer's special tokens, `invalid-change`
   * where the id or a function is no string
   */
  encode(change: ChangeText, budget: Budget): EncodedChange;
  /** What can be read back from a text that was not cut. A side that the encoding does not show is absent. */
  recover(text: string): RecoveredChange;
}

/** What a text shows of its change, marks unescaped. */
export interface RecoveredChange {
  /** The whole function, or the deleted lines, or the lines of the hunks: as the encoding says. */
  before?: string;
  after?: string;
}

export interface EncodingParts {
  name: string;
  specialTokens?: readonly string[];
  /** Lines that head a section. Plain text to the tokenizer. */
  headers?: readonly string[];
  /** Where true, `layout` is given the source as it is and escapes what it shows: an escaped mark is another text to a parser. */
  escapesItself?: boolean;
  layout(change: ChangeText, escaper: MarkEscaper): Omit<Layout, 'escapedMarks'>;
  recover(text: string, escaper: MarkEscaper): RecoveredChange;
}

/** An encoding from its layout and its inverse: escapes marks in the source before, fits the budget after. */
export function defineEncoding({
  name,
  specialTokens = [],
  headers = [],
  escapesItself = false,
  layout,
  recover,
}: EncodingParts): Encoding {
  const escaper = createMarkEscaper([...specialTokens, ...headers]);
  const escapedLayout = (change: ChangeText): Layout => {
    checkChange(change);
    const { function_before: before, function_after: after } = change;
    const escaped = { ...change, function_before: escaper.escape(before), function_after: escaper.escape(after) };
    const unchanged = escaped.function_before === before && escaped.function_after === after;
    return {
      ...layout(escapesItself ? change : escaped, escaper),
      escapedMarks: unchanged ? 0 : escaper.count(before) + escaper.count(after),
    };
  };
  return {
    name,
    specialTokens,
    layout: escapedLayout,
    encode(change, { tokenizer, maxTokens }) {
      const laidOut = escapedLayout(change);
      return fitLayout(change.id, laidOut, { tokenizer: withMarks(tokenizer, specialTokens), maxTokens });
    },
    recover: (text) => recover(text, escaper),
  };
}

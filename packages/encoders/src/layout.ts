import type { CodeChange } from '@redef/core';

/** What an encoding reads of a change; the language, `c` where it is left out, only to choose a grammar. */
export type ChangeText = Pick<CodeChange, 'id' | 'function_before' | 'function_after'> &
  Partial<Pick<CodeChange, 'language'>>;

/** One line as a model is shown it, or several unedited ones without marks in front. */
export interface ShownLines {
  /** The mark in front (`<ADD>`), or ''. */
  tag: string;
  /** The source line, with marks in it escaped; `\n` between several. */
  text: string;
  /** Whether the line is an edited one, and of which side. */
  edit?: 'added' | 'deleted';
}

/** A stretch of the input: its lines under an optional header line. */
export interface Section {
  header?: string;
  lines: readonly ShownLines[];
}

/** A change laid out for a model, before it is tokenized and cut. Perturbations of the layout work on this. */
export interface Layout {
  sections: readonly Section[];
  /** `joint`: one text, cut at its end. `halves`: two sections with half of the budget each, less what the other leaves free. */
  share: 'joint' | 'halves';
  /** Lines added plus lines deleted by the change, whether shown or not. */
  changedLines: number;
  /** Marks of this encoding that stood in the source and were escaped. */
  escapedMarks: number;
  /** Edits too long for the word marks that the encoding promises; absent where there are none. */
  unmarkedEdits?: number;
}

/** The text of each separately tokenized part, in order; the whole text is their concatenation. */
export function renderLayout({ sections, share }: Layout): string[] {
  // Joined at once: a text that grew piece by piece costs a tokenizer's regular expression more.
  if (share === 'joint') return [sections.flatMap(linesOf).join('\n')];
  return sections.map((section, i) => (i === 0 ? linesOf(section) : ['', ...linesOf(section)]).join('\n'));
}

function linesOf({ header, lines }: Section): string[] {
  const shown = header === undefined ? [] : [header];
  for (const { tag, text } of lines) shown.push(tag + text);
  return shown;
}

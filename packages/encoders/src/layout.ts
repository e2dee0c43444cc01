import type { CodeChange } from '@redef/core';

/** What an encoding reads of a change. */
export type ChangeText = Pick<CodeChange, 'id' | 'function_before' | 'function_after'>;

/** One line as a model is shown it. */
export interface ShownLine {
  /** The mark in front (`<ADD>`), or ''. */
  tag: string;
  /** The source line, with marks in it escaped. */
  text: string;
  /** Whether the line is an edited one, and of which side. */
  edit?: 'added' | 'deleted';
}

/** A stretch of the input: its lines under an optional header line. */
export interface Section {
  header?: string;
  lines: readonly ShownLine[];
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
}

/** The text of each separately tokenized part, in order; the whole text is their concatenation. */
export function renderLayout({ sections, share }: Layout): string[] {
  const texts = sections.map(renderSection);
  return share === 'joint' ? [texts.join('\n')] : texts.map((text, i) => (i === 0 ? text : `\n${text}`));
}

function renderSection({ header, lines }: Section): string {
  let text = header ?? '';
  for (let i = 0; i < lines.length; i++) {
    const { tag, text: line } = lines[i]!;
    if (i > 0 || header !== undefined) text += '\n';
    text += tag + line;
  }
  return text;
}

/** Opens a buggy region of a source. */
export const startBug = '<S2SV_StartBug>';
/** Closes a buggy region of a source. */
export const endBug = '<S2SV_EndBug>';
/** Opens a hunk of a target. */
export const modStart = '<S2SV_ModStart>';
/** Ends a hunk's new tokens where tokens were deleted: the context that follows comes next. */
export const modEnd = '<S2SV_ModEnd>';
/** A blank inside a string or character literal. */
export const blank = '<S2SV_blank>';
/** Stands for a context token before the first or after the last token of the function. */
export const nullToken = '<S2SV_null>';

/** The five tokens VulRepair adds to its tokenizer; `<S2SV_null>` is not one of them (R+R, section 3.4). */
export const vulRepairAddedTokens: readonly string[] = [startBug, endBug, blank, modStart, modEnd];

/** Tokens that a function's own text may not have: the format could not tell them from its markers. */
export const reservedTokens: ReadonlySet<string> = new Set([startBug, endBug, modStart, modEnd, nullToken]);

/** Splits a source or target at ASCII white space. */
export function splitTokens(text: string): string[] {
  return text.split(/[ \t\r\n\f\v]+/).filter((token) => token !== '');
}

import { RedefError } from '@redef/core';
import { type AppliedTarget, type ApplyOptions, applyTarget, type PatchedTokens } from '../format/apply-target.js';
import { parseSource } from '../format/parse-sample.js';
import { spellingOf } from './format-function.js';
import { patchText } from './patch-text.js';
import { readSpelling } from './spelling.js';
import { tokenizeC } from './tokenize-c.js';
import { type UnifiedDiffOptions, unifiedDiff } from './unified-diff.js';

/** A patched C function. */
export interface PatchedFunction extends PatchedTokens {
  /** The function after the patch; what the patch does not touch is as it was, comments included. */
  text: string;
  /** From the function as it was to `text`. */
  patch: string;
}

export type AppliedToFunction =
  | (Extract<AppliedTarget, { status: 'placed' }> & PatchedFunction)
  | (Omit<Extract<AppliedTarget, { status: 'ambiguous' }>, 'candidates'> & { candidates: PatchedFunction[] })
  | Extract<AppliedTarget, { status: 'impossible' }>;

/**
 * {@link applyTarget} on the text of a C function: the patched text and its unified diff for each reading.
 *
 * @param source as {@link formatFunction} made it from this text, whatever its regions
 * @throws `RedefError` `source-mismatch` where the source has other tokens than the text; `invalid-source`
 */
export function applyToFunction(
  text: string,
  source: string,
  target: string,
  options: ApplyOptions & UnifiedDiffOptions = {},
): AppliedToFunction {
  const tokens = tokenizeC(text);
  checkSame(tokens.map(spellingOf), parseSource(source).tokens);
  const result = applyTarget(source, target, options);
  const patchFunction = <T extends PatchedTokens>(reading: T): T & PatchedFunction => {
    const edits = reading.edits.map((edit) => ({ ...edit, tokens: edit.tokens.map(readSpelling) }));
    const patched = patchText(text, edits, tokens);
    return { ...reading, text: patched, patch: unifiedDiff(text, patched, options) };
  };
  if (result.status === 'placed') return patchFunction(result);
  if (result.status === 'ambiguous') return { ...result, candidates: result.candidates.map(patchFunction) };
  return result;
}

function checkSame(found: readonly string[], expected: readonly string[]): void {
  const position = found.findIndex((token, i) => token !== expected[i]);
  if (position < 0 && found.length === expected.length) return;
  const at = position < 0 ? found.length : position;
  const show = (token: string | undefined) => (token === undefined ? 'the end' : JSON.stringify(token));
  throw new RedefError(
    `the source is not of this function: token ${at + 1} is ${show(expected[at])} in the source, ${show(found[at])} in the text`,
    { code: 'source-mismatch', remedy: 'Format the function again and predict from that source.', disposition: 'skip' },
  );
}

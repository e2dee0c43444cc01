import { RedefError } from '@redef/core';
import type { TokenRange } from './format-sample.js';
import { endBug, modEnd, modStart, splitTokens, startBug } from './special-tokens.js';

/** A source without its markers. */
export interface ParsedSource {
  /** `CWE-NNN`, or absent where the source starts with code. */
  cwe?: string;
  tokens: string[];
  /** In order, not overlapping; may touch. */
  regions: TokenRange[];
}

/** One hunk of a target. */
export interface TargetHunk {
  /** The `contextTokens` tokens before the edit. */
  context: string[];
  /** The new tokens. */
  tokens: string[];
  /** The `contextTokens` tokens after the edit; absent for an insertion. */
  following?: string[];
}

/** A tag of any number of digits, or the words that stand for none (`NVD-CWE-noinfo`). */
const cwePattern = /^(CWE-\d+|NVD-CWE-\w+)$/;

/** @throws `RedefError` `invalid-option`: as another word it would be read as code */
export function checkCwe(cwe: string): void {
  if (cwePattern.test(cwe)) return;
  throw new RedefError(`expected a tag such as CWE-787, got ${JSON.stringify(cwe)}`, {
    code: 'invalid-option',
    remedy: 'Write CWE- and its number, or NVD-CWE- and a word; CWE-000 says nothing of the weakness.',
  });
}

/** The leading CWE tag of a source, without reading the rest. */
export function cweOf(source: string): string | undefined {
  const first = /\S+/.exec(source)?.[0];
  return first !== undefined && cwePattern.test(first) ? first : undefined;
}

/** @throws `RedefError` `invalid-source` (disposition `skip`) where the region markers are not balanced */
export function parseSource(source: string): ParsedSource {
  const all = splitTokens(source);
  const parsed: ParsedSource = { tokens: [], regions: [] };
  if (all[0] !== undefined && cwePattern.test(all[0])) parsed.cwe = all.shift()!;
  let start: number | undefined;
  for (const token of all) {
    if (token !== startBug && token !== endBug) {
      parsed.tokens.push(token);
    } else if ((token === startBug) !== (start === undefined)) {
      throw unbalanced(`${token} after ${parsed.tokens.length} tokens has no partner`);
    } else if (token === startBug) {
      start = parsed.tokens.length;
    } else {
      parsed.regions.push({ start: start!, end: parsed.tokens.length });
      start = undefined;
    }
  }
  if (start !== undefined) throw unbalanced(`${startBug} after ${start} tokens is never closed`);
  return parsed;
}

/** The hunks of a target, or why it is not one: a model may predict anything, so this never throws. */
export function parseTarget(target: string, contextTokens = 3): { hunks: TargetHunk[] } | { malformed: string } {
  const all = splitTokens(target);
  const hunks: TargetHunk[] = [];
  let position = 0;
  while (position < all.length) {
    if (all[position] !== modStart) return { malformed: `expected ${modStart}, found ${all[position]}` };
    let end = all.indexOf(modStart, position + 1);
    if (end < 0) end = all.length;
    const body = all.slice(position + 1, end);
    const closing = body.indexOf(modEnd);
    const opening = closing < 0 ? body : body.slice(0, closing);
    const place = `hunk ${hunks.length + 1}`;
    if (opening.length < contextTokens) return { malformed: `${place}: fewer than ${contextTokens} context tokens` };
    const hunk: TargetHunk = { context: opening.slice(0, contextTokens), tokens: opening.slice(contextTokens) };
    if (closing >= 0) {
      hunk.following = body.slice(closing + 1);
      if (hunk.following.length !== contextTokens) {
        return { malformed: `${place}: ${hunk.following.length} tokens after ${modEnd}, expected ${contextTokens}` };
      }
    } else if (hunk.tokens.length === 0) {
      return { malformed: `${place}: inserts nothing` };
    }
    if (body.some((token) => token === startBug || token === endBug)) {
      return { malformed: `${place}: a source marker inside a target` };
    }
    hunks.push(hunk);
    position = end;
  }
  return { hunks };
}

function unbalanced(message: string): RedefError {
  return new RedefError(`the source's region markers are not balanced: ${message}`, {
    code: 'invalid-source',
    remedy: 'Leave this sample out, or pass the source before it was cut to the model length.',
    disposition: 'skip',
  });
}

import { RedefError } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import { matchingDiff } from './matching-diff.js';
import { checkCwe } from './parse-sample.js';
import { endBug, modEnd, modStart, nullToken, reservedTokens, startBug } from './special-tokens.js';
import { mergeEdits, type TokenDiff, type TokenEdit } from './token-edits.js';

/** Tokens `[start, end)` of a function. */
export interface TokenRange {
  start: number;
  end: number;
}

export interface FormatOptions {
  /** Context tokens on each side of a hunk. Default 3, as in the published data; VRepair also tried 10. */
  contextTokens?: number;
  /** The leading tag; default `CWE-000`, the bug-fix corpus's. */
  cwe?: string;
  /** Default {@link matchingDiff}. */
  diff?: TokenDiff;
  /**
   * The lines of the function before the change, in order and without gaps: a region is the line an edit starts in.
   * Default {@link statementLines}.
   */
  lines?: readonly TokenRange[];
}

export interface RepairSample {
  /** `CWE-NNN tokens...` with each buggy region between its markers. */
  source: string;
  /** The hunks one after the other; empty where nothing changed. */
  target: string;
}

/**
 * A function pair, as tokens, in VRepair's format: see `README.md` for its grammar.
 *
 * @throws `RedefError` `reserved-token` (disposition `skip`) where a token is empty, has white space or is a marker;
 *   `invalid-option`
 */
export function formatSample(
  before: readonly string[],
  after: readonly string[],
  { contextTokens = 3, cwe = 'CWE-000', diff = matchingDiff, lines = statementLines(before) }: FormatOptions = {},
): RepairSample {
  checkInteger('contextTokens', contextTokens, 1);
  checkCwe(cwe);
  for (const tokens of [before, after]) tokens.forEach(checkToken);
  const edits = mergeEdits(before, diff(before, after), contextTokens);
  const source = [cwe, ...markRegions(before, regionsOf(edits, lines))].join(' ');
  return { source, target: formatTarget(before, edits, contextTokens) };
}

/** The hunks of a target, from edits at least `contextTokens` apart. */
export function formatTarget(before: readonly string[], edits: readonly TokenEdit[], contextTokens: number): string {
  return edits
    .flatMap(({ start, end, tokens }) => {
      const hunk = [modStart, ...contextBefore(before, start, contextTokens), ...tokens];
      return end > start ? [...hunk, modEnd, ...contextAfter(before, end, contextTokens)] : hunk;
    })
    .join(' ');
}

/** The `count` tokens before `position`, filled up with nulls at the front. */
export function contextBefore(tokens: readonly string[], position: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => tokens[position - count + i] ?? nullToken);
}

/** The `count` tokens from `position` on, filled up with nulls at the end. */
export function contextAfter(tokens: readonly string[], position: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => tokens[position + i] ?? nullToken);
}

/**
 * Lines for code whose line breaks are lost: each ends after `;`, `{` or `}` outside parentheses.
 * The published data has the real lines, which its tokens no longer show.
 */
export function statementLines(tokens: readonly string[]): TokenRange[] {
  const lines: TokenRange[] = [];
  let start = 0;
  let depth = 0;
  tokens.forEach((token, index) => {
    if (token === '(') depth++;
    else if (token === ')') depth = Math.max(0, depth - 1);
    else if (token === '{' || token === '}' || (token === ';' && depth === 0)) {
      depth = 0;
      lines.push({ start, end: index + 1 });
      start = index + 1;
    }
  });
  if (start < tokens.length) lines.push({ start, end: tokens.length });
  return lines;
}

/** The line each edit starts in, once each. An edit past the last token belongs to the last line. */
function regionsOf(edits: readonly TokenEdit[], lines: readonly TokenRange[]): TokenRange[] {
  const regions: TokenRange[] = [];
  let index = 0;
  for (const { start } of edits) {
    while (index < lines.length - 1 && lines[index]!.end <= start) index++;
    const line = lines[index];
    if (line && regions.at(-1) !== line) regions.push(line);
  }
  return regions;
}

/** The tokens with each region between its markers. */
export function markRegions(tokens: readonly string[], regions: readonly TokenRange[]): string[] {
  const parts: (readonly string[])[] = [];
  let position = 0;
  for (const { start, end } of regions) {
    parts.push(tokens.slice(position, start), [startBug], tokens.slice(start, end), [endBug]);
    position = end;
  }
  return [...parts, tokens.slice(position)].flat();
}

function checkToken(token: string): void {
  if (token !== '' && !/\s/.test(token) && !reservedTokens.has(token)) return;
  throw reservedToken(token);
}

export function reservedToken(token: string): RedefError {
  return new RedefError(`expected a token of code without white space or markers, got ${JSON.stringify(token)}`, {
    code: 'reserved-token',
    remedy: 'Leave this sample out: the format cannot tell that token from its own markers.',
    disposition: 'skip',
  });
}

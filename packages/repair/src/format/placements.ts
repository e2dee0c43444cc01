import { contextAfter, contextBefore, type TokenRange } from './format-sample.js';
import type { TargetHunk } from './parse-sample.js';
import type { TokenEdit } from './token-edits.js';

/**
 * What a placement must satisfy beside its contexts, strongest first: every region is the start of an edit and every
 * edit starts in a region; every edit starts in a region; nothing more.
 */
export type RegionRule = 'all-regions' | 'in-regions' | 'anywhere';

/** A start that a hunk may take, in which region, and the ends its following context allows: `ends` from `firstEnd` on. */
interface Candidate {
  start: number;
  region: number;
  /** Ascending, shared between candidates; an insertion ends where it starts. */
  ends: readonly number[];
  firstEnd: number;
}

/** Positions 0 to the number of tokens, ascending, by the joined context before and after each. */
export interface ContextIndex {
  before: ReadonlyMap<string, readonly number[]>;
  after: ReadonlyMap<string, readonly number[]>;
}

export function indexContexts(tokens: readonly string[], contextTokens: number): ContextIndex {
  const before = new Map<string, number[]>();
  const after = new Map<string, number[]>();
  for (let position = 0; position <= tokens.length; position++) {
    add(before, contextBefore(tokens, position, contextTokens).join(' '), position);
    add(after, contextAfter(tokens, position, contextTokens).join(' '), position);
  }
  return { before, after };
}

function add(positions: Map<string, number[]>, context: string, position: number): void {
  const known = positions.get(context);
  if (known) known.push(position);
  else positions.set(context, [position]);
}

/**
 * Every way to place the hunks in order, `contextTokens` or more tokens apart, first positions first. There may be very
 * many: take what is needed. Costs tokens x hunks before the first at worst, and meets no dead ends after.
 */
export function* placements(
  index: ContextIndex,
  hunks: readonly TargetHunk[],
  regions: readonly TokenRange[],
  rule: RegionRule,
  contextTokens: number,
): Generator<TokenEdit[], void, undefined> {
  if (hunks.length === 0) return;
  const ordered = rule === 'all-regions';
  const used = rule === 'anywhere' ? [] : regions;
  const byContexts = new Map<string, readonly Candidate[]>();
  const candidates = hunks.map((hunk) => {
    const contexts = `${hunk.context.join(' ')}\n${hunk.following?.join(' ')}`;
    const known = byContexts.get(contexts) ?? candidatesOf(hunk, index, used);
    byContexts.set(contexts, known);
    return known;
  });
  const { furthest, canFollow } = reachability(candidates, ordered, Math.max(1, used.length), contextTokens);
  if (furthest.includes(-1)) return;

  // A depth-first search with its own stack: candidate and end at hand for each hunk placed so far.
  const chosen: { candidate: number; end: number }[] = [{ candidate: 0, end: -1 }];
  while (chosen.length > 0) {
    const h = chosen.length - 1;
    const cursor = chosen[h]!;
    const candidate = candidates[h]![cursor.candidate];
    if (!candidate || candidate.start > furthest[h]!) {
      chosen.pop();
      continue;
    }
    cursor.end = cursor.end < 0 ? candidate.firstEnd : cursor.end + 1;
    const end = candidate.ends[cursor.end];
    const region = h > 0 ? at(h - 1).region : -1;
    const inOrder = !ordered || candidate.region === region || candidate.region === region + 1;
    if (!inOrder || end === undefined || !canFollow(h, candidate.region, end + contextTokens)) {
      cursor.candidate++; // a later end leaves even less room
      cursor.end = -1;
    } else if (h < hunks.length - 1) {
      chosen.push({ candidate: firstFrom(candidates[h + 1]!, end + contextTokens), end: -1 });
    } else {
      yield hunks.map(({ tokens }, hunk) => ({ start: at(hunk).start, end: at(hunk).end, tokens }));
    }
  }

  function at(h: number): { start: number; end: number; region: number } {
    const { start, region, ends } = candidates[h]![chosen[h]!.candidate]!;
    return { start, region, end: ends[chosen[h]!.end]! };
  }
}

/** The first candidate that starts at `from` or later. */
function firstFrom(candidates: readonly Candidate[], from: number): number {
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (candidates[middle]!.start < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Reachability {
  /** The last start of each hunk from which all later ones can still be placed; -1 for one and all before it if there is none. */
  furthest: readonly number[];
  /** Whether the hunks after `hunk`, placed in `region`, fit from position `from` on. */
  canFollow(hunk: number, region: number, from: number): boolean;
}

function reachability(
  candidates: readonly (readonly Candidate[])[],
  ordered: boolean,
  regionCount: number,
  contextTokens: number,
): Reachability {
  const byRegion: Int32Array[] = [];
  const furthest = candidates.map(() => -1);
  const canFollow = (hunk: number, region: number, from: number): boolean => {
    if (hunk === candidates.length - 1) return !ordered || region === regionCount - 1;
    if (!ordered) return furthest[hunk + 1]! >= from;
    const next = byRegion[hunk + 1]!;
    return next[region]! >= from || (region + 1 < regionCount && next[region + 1]! >= from);
  };
  for (let h = candidates.length - 1; h >= 0; h--) {
    const starts = new Int32Array(ordered ? regionCount : 1).fill(-1);
    byRegion[h] = starts;
    const ofHunk = candidates[h]!;
    for (let i = ofHunk.length - 1; i >= 0; i--) {
      const { start, region, ends, firstEnd } = ofHunk[i]!;
      const group = ordered ? region : 0;
      if (starts[group]! >= 0 || !canFollow(h, region, ends[firstEnd]! + contextTokens)) continue;
      starts[group] = start; // candidates ascend, so the first found from the back is the last
      furthest[h] = Math.max(furthest[h]!, start);
      if (!ordered) break;
    }
    if (furthest[h] === -1) break;
  }
  return { furthest, canFollow };
}

function candidatesOf(hunk: TargetHunk, { before, after }: ContextIndex, regions: readonly TokenRange[]): Candidate[] {
  const candidates: Candidate[] = [];
  const possibleEnds = hunk.following && (after.get(hunk.following.join(' ')) ?? []);
  let firstEnd = 0;
  for (const start of before.get(hunk.context.join(' ')) ?? []) {
    if (possibleEnds) {
      while (firstEnd < possibleEnds.length && possibleEnds[firstEnd]! <= start) firstEnd++;
      if (firstEnd === possibleEnds.length) break;
    }
    const candidate = { start, ends: possibleEnds ?? [start], firstEnd };
    if (regions.length === 0) candidates.push({ ...candidate, region: 0 });
    regions.forEach((region, number) => {
      // An insertion at the end of a line is marked on that line, so the end counts as inside.
      if (start >= region.start && start <= region.end) candidates.push({ ...candidate, region: number });
    });
  }
  return candidates;
}

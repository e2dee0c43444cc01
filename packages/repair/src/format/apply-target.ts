import { checkInteger } from '../check-integer.js';
import { formatTarget, type TokenRange } from './format-sample.js';
import { matchingDiff } from './matching-diff.js';
import { parseSource, parseTarget, type TargetHunk } from './parse-sample.js';
import { type ContextIndex, indexContexts, placements, type RegionRule } from './placements.js';
import { splitTokens } from './special-tokens.js';
import { applyEdits, mergeEdits, type TokenDiff, type TokenEdit } from './token-edits.js';

/** One way to read a target: the edits on the source's tokens and what they give. */
export interface PatchedTokens {
  edits: TokenEdit[];
  tokens: string[];
}

/**
 * What it took to leave one reading: the contexts alone, the region markers, or formatting each reading again and
 * keeping the one that gives the same target.
 */
export type DecidedBy = 'context' | 'regions' | 'reformatting';

export type AppliedTarget =
  | ({ status: 'placed'; decidedBy: DecidedBy; regionRule: RegionRule } & PatchedTokens)
  | {
      status: 'ambiguous';
      /** Different results, first positions first; at least two. */
      candidates: PatchedTokens[];
      /** False where there may be more than were looked at. */
      complete: boolean;
      regionRule: RegionRule;
    }
  | { status: 'impossible'; reason: string };

export interface ApplyOptions {
  /** As the target was formatted with. Default 3. */
  contextTokens?: number;
  /** How the target's author compares tokens; decides between readings. Default {@link matchingDiff}. */
  diff?: TokenDiff;
  /** Stop after this many different results. Default 64. */
  maxCandidates?: number;
}

/** Placements looked at for each result asked for: several may give the same tokens. */
const placementsPerResult = 16;

/**
 * Reads a predicted target back into the function of its source: the hunks in order, each between its contexts, guided
 * by the region markers. A target that fits in more than one way with different results is reported as ambiguous, one
 * that fits nowhere as impossible; neither is guessed. An empty target leaves the function as it is.
 *
 * @throws `RedefError` `invalid-source` where the source's markers are not balanced, `invalid-option`; never for a bad target
 */
export function applyTarget(source: string, target: string, options: ApplyOptions = {}): AppliedTarget {
  const { contextTokens = 3, diff = matchingDiff, maxCandidates = 64 } = options;
  checkInteger('contextTokens', contextTokens, 1);
  checkInteger('maxCandidates', maxCandidates, 1);
  const { tokens, regions } = parseSource(source);
  const parsed = parseTarget(target, contextTokens);
  if ('malformed' in parsed) return { status: 'impossible', reason: parsed.malformed };
  const { hunks } = parsed;
  if (hunks.length === 0) {
    return { status: 'placed', decidedBy: 'context', regionRule: 'anywhere', edits: [], tokens };
  }

  const index = indexContexts(tokens, contextTokens);
  const find = (rule: RegionRule, limit: number) => {
    return distinctResults(tokens, index, hunks, regions, rule, contextTokens, limit);
  };
  for (const regionRule of regionRules(regions)) {
    const { results, complete } = find(regionRule, maxCandidates);
    if (results.length === 0) continue;
    const only = results[0]!;
    if (results.length === 1 && complete) {
      const alone = regionRule === 'anywhere' || find('anywhere', 2).results.length === 1;
      return { status: 'placed', decidedBy: alone ? 'context' : 'regions', regionRule, ...only };
    }
    const again = complete ? formattedAlike(tokens, splitTokens(target).join(' '), results, diff, contextTokens) : [];
    if (again.length === 1) return { status: 'placed', decidedBy: 'reformatting', regionRule, ...again[0]! };
    return { status: 'ambiguous', candidates: results, complete, regionRule };
  }
  return { status: 'impossible', reason: whyImpossible(index, hunks) };
}

function regionRules(regions: readonly TokenRange[]): RegionRule[] {
  return regions.length === 0 ? ['anywhere'] : ['all-regions', 'in-regions', 'anywhere'];
}

function distinctResults(
  tokens: readonly string[],
  index: ContextIndex,
  hunks: readonly TargetHunk[],
  regions: readonly TokenRange[],
  rule: RegionRule,
  contextTokens: number,
  limit: number,
): { results: PatchedTokens[]; complete: boolean } {
  const results = new Map<string, PatchedTokens>();
  let seen = 0;
  for (const edits of placements(index, hunks, regions, rule, contextTokens)) {
    if (results.size === limit || seen++ === limit * placementsPerResult) {
      return { results: [...results.values()], complete: false };
    }
    const patched = applyEdits(tokens, edits);
    const key = patched.join(' ');
    if (!results.has(key)) results.set(key, { edits, tokens: patched });
  }
  return { results: [...results.values()], complete: true };
}

/** Of several readings those whose own target is the one at hand; no more than two are looked for. */
function formattedAlike(
  tokens: readonly string[],
  target: string,
  results: readonly PatchedTokens[],
  diff: TokenDiff,
  contextTokens: number,
): PatchedTokens[] {
  const alike: PatchedTokens[] = [];
  for (const result of results) {
    const edits = mergeEdits(tokens, diff(tokens, result.tokens), contextTokens);
    if (formatTarget(tokens, edits, contextTokens) !== target) continue;
    alike.push(result);
    if (alike.length > 1) break;
  }
  return alike;
}

/** Names the first hunk that cannot be placed even by itself, or says that their order is at fault. */
function whyImpossible(index: ContextIndex, hunks: readonly TargetHunk[]): string {
  for (const [number, { context, following }] of hunks.entries()) {
    const opening = context.join(' ');
    const first = index.before.get(opening)?.[0];
    if (first === undefined) return `hunk ${number + 1}: the context "${opening}" is not in the function`;
    const closing = following?.join(' ');
    if (closing !== undefined && !((index.after.get(closing)?.at(-1) ?? -1) > first)) {
      return `hunk ${number + 1}: the context "${opening}" is there but "${closing}" does not follow it`;
    }
  }
  return 'each hunk fits somewhere, but not all of them in order';
}

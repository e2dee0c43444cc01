export {
  type AppliedTarget,
  type ApplyOptions,
  applyTarget,
  type DecidedBy,
  type PatchedTokens,
} from './format/apply-target.js';
export {
  type FormatOptions,
  formatSample,
  type RepairSample,
  statementLines,
  type TokenRange,
} from './format/format-sample.js';
export { matchingDiff } from './format/matching-diff.js';
export { cweOf, type ParsedSource, parseSource, parseTarget, type TargetHunk } from './format/parse-sample.js';
export type { RegionRule } from './format/placements.js';
export { splitTokens, vulRepairAddedTokens } from './format/special-tokens.js';
export { applyEdits, myersDiff, type TokenDiff, type TokenEdit } from './format/token-edits.js';

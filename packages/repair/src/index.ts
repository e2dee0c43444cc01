export { type AppliedToFunction, applyToFunction, type PatchedFunction } from './c/apply-to-function.js';
export { type FormattedFunction, formatFunction } from './c/format-function.js';
export { type FormatSourceOptions, formatSource } from './c/format-source.js';
export { readSpelling, spellToken } from './c/spelling.js';
export { type CToken, tokenizeC } from './c/tokenize-c.js';
export { type UnifiedDiffOptions, unifiedDiff } from './c/unified-diff.js';
export { type BeamSearchOptions, beamSearch } from './decode/beam-search.js';
export type { CodexglueRule } from './decode/codexglue-beam.js';
export type { DecodeLimits, DecoderStep, Hypothesis, StepResult } from './decode/decoder-step.js';
export { type DiverseBeamSearchOptions, diverseBeamSearch } from './decode/diverse-beam-search.js';
export { greedySearch } from './decode/greedy-search.js';
export type { HuggingFaceRule } from './decode/hugging-face-beam.js';
export { type Nucleus, type NucleusSamplingOptions, nucleus, nucleusSampling } from './decode/nucleus-sampling.js';
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
export { type CodeBleu, type CodeBleuOptions, type CodePair, cKeywords, codeBleu } from './score/code-bleu.js';
export { type CweRow, type TopTenTable, topTenCwes } from './score/cwe-tables.js';
export { editSimilarity } from './score/edit-similarity.js';
export {
  type CutOptions,
  cleanPrediction,
  cutTruth,
  perfectRank,
  type TruthTokenizer,
} from './score/perfect-prediction.js';
export type { QualityPart, QualityRow, QualityTable, SampleJudgement } from './score/quality-table.js';
export { type RepairTable, repairTables } from './score/report-tables.js';
export { readJudgements, readPredictions, readTruths, type ScoreRow } from './score/rows.js';
export {
  type RepairPredictions,
  type RepairReport,
  type RepairTruth,
  type SampleScore,
  type ScoreOptions,
  scoreRepairs,
} from './score/score-repairs.js';
export { paperSeeds, type SeedMetrics, type SeedSummary } from './score/seed-tables.js';
export type { SyntaxCheck } from './syntax/c-syntax.js';

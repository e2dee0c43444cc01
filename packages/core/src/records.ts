import * as v from 'valibot';
import { digestOf } from './digest.js';

// The tables on disk. Columns are snake_case and keep the papers' names; every row names its schema and version.
// Rows are never rewritten: what is learnt later of a change goes into a sidecar joined by `id`.

const hash = v.pipe(v.string(), v.regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a full lower-case object id'));
const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{16,64}$/, 'expected a lower-case hex digest'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const line = v.pipe(v.number(), v.integer(), v.minValue(1));
const probability = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
/** A date as git writes it with `%aI` / `%cI`: the author's own offset is kept. */
const timestamp = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/, 'expected an ISO 8601 date with an offset'),
);

/** One replaced stretch, in lines of the whole file, numbered as `git diff -U0` does: an empty side has count 0 and names the line before it. */
export const hunkSchema = v.object({ old_start: count, old_count: count, new_start: count, new_count: count });
export type Hunk = v.InferOutput<typeof hunkSchema>;

/** First and last line of a function in its file, 1-based, both included. */
export const lineRangeSchema = v.object({ start: line, end: line });
export type LineRange = v.InferOutput<typeof lineRangeSchema>;

/** One commit's modification of one function (ReDef, section 3.1): the unit that everything else labels, encodes and predicts. */
export const changeSchema = v.object({
  schema: v.literal('redef.change/1'),
  /** {@link changeId}: a digest of project, commit, path and function signature. */
  id,
  project: v.pipe(v.string(), v.minLength(1)),
  commit: hash,
  parent: hash,
  /** Of the file, with `/`; bytes that are not UTF-8 as `\xNN`. */
  path: v.string(),
  /** As written at the definition, qualified in C++ (`Table::insert`). */
  function_name: v.string(),
  /** The text before the body with white space collapsed: tells overloads and `#ifdef` twins apart. */
  function_signature: v.string(),
  language: v.picklist(['c', 'cpp']),
  committed_at: timestamp,
  authored_at: timestamp,
  /** The whole commit message. */
  message: v.string(),
  /** From signature to closing brace, lines joined by `\n`. */
  function_before: v.string(),
  function_after: v.string(),
  lines_before: lineRangeSchema,
  lines_after: lineRangeSchema,
  hunks: v.array(hunkSchema),
  /** What found the function's bounds, with its version: `scanner/1`, `tree-sitter-c/0.24`. */
  extractor: v.string(),
  /** `high`: unambiguous; `medium`: the second opinion agreed; `low`: the bounds may be wrong. */
  confidence: v.picklist(['high', 'medium', 'low']),
  /** How the bytes became text when they were not valid UTF-8. */
  decoding: v.optional(v.string()),
  /** The id of an earlier change with the same two texts. */
  identical_to: v.optional(id),
});
export type CodeChange = v.InferOutput<typeof changeSchema>;

/** The identity of a change, 40 hex digits: stable across runs, machines and the order of mining. */
export function changeId(change: Pick<CodeChange, 'project' | 'commit' | 'path' | 'function_signature'>): string {
  const { project, commit, path, function_signature } = change;
  return digestOf([project, commit, path, function_signature]).slice(0, 40);
}

/** A later commit that touched the same function. */
export const laterCommitSchema = v.object({ commit: hash, committed_at: timestamp, message: v.string() });
export type LaterCommit = v.InferOutput<typeof laterCommitSchema>;

/** Why a change is a candidate: the revert that anchors a defective one, or the history that screens a clean one (ReDef, section 3.1). */
export const evidenceSchema = v.variant('kind', [
  v.object({
    schema: v.literal('redef.evidence/1'),
    id,
    kind: v.literal('revert'),
    revert_commit: hash,
    revert_message: v.string(),
    reverted_at: timestamp,
    /** Which form of words linked the two commits: `this-reverts-commit`, `reverts-trailer`, ... */
    shape: v.string(),
    /** The paper's rule: the message has the word "revert" and the hash of an earlier commit. */
    loose: v.boolean(),
    /** The hash follows revert wording. */
    strict: v.boolean(),
    /** How much of the change the revert takes back in that function, 0 to 1; absent where the revert's diff was not compared. */
    undoes: v.optional(probability),
    /** The revert was itself reverted, or the change landed again. */
    relanded: v.optional(v.boolean()),
  }),
  v.object({
    schema: v.literal('redef.evidence/1'),
    id,
    kind: v.literal('clean'),
    /** Up to five, oldest first. */
    later_commits: v.array(laterCommitSchema),
  }),
]);
export type ChangeEvidence = v.InferOutput<typeof evidenceSchema>;

export const categorySchema = v.picklist(['A', 'B', 'C']);
/** A rubric's answer (ReDef, section 3.1). Defective: A failed fix, B bug introduction, C other. Clean: A bug fix, B improvement, C ambiguous. */
export type Category = v.InferOutput<typeof categorySchema>;

/** One ballot of one voter on one change. */
export const voteSchema = v.object({
  schema: v.literal('redef.vote/1'),
  id,
  /** 0-based. */
  ballot: count,
  /** Who voted: `openai:gpt-4o-2024-08-06`, `rules/1`. */
  voter: v.string(),
  /** True where no language model was asked: such votes must never be passed off as a model's. */
  rule_based: v.boolean(),
  /** Rubric and version: `redef-defective/1`. */
  rubric: v.string(),
  /** `null` is an abstention, with its reason in `rationale`. */
  category: v.nullable(categorySchema),
  /** One sentence. */
  rationale: v.string(),
  /** Words quoted from the evidence. */
  quotes: v.array(v.string()),
  /** Digest of what the voter was shown. */
  evidence_digest: v.string(),
  /** Characters of the evidence that were cut to fit. */
  truncated: v.optional(count),
  input_tokens: v.optional(count),
  output_tokens: v.optional(count),
});
export type Vote = v.InferOutput<typeof voteSchema>;

export const transitionSchema = v.picklist([
  'defective->defective',
  'clean->defective',
  'defective->clean',
  'clean->clean',
]);
export type Transition = v.InferOutput<typeof transitionSchema>;

/** A change's label once its ballots are counted. */
export const labelSchema = v.object({
  schema: v.literal('redef.label/1'),
  id,
  label: v.picklist(['defective', 'clean']),
  /** By majority of the ballots; `null` where they are tied. */
  transition: v.nullable(transitionSchema),
  /** All ballots named the same category; false for a 2:1 split between A and B. */
  agreed: v.boolean(),
  /** Rule and voters: `unanimous-ab/3 by rules/1`. */
  decided_by: v.string(),
  rule_based: v.boolean(),
});
export type Label = v.InferOutput<typeof labelSchema>;

export const splitNameSchema = v.picklist(['train', 'validation', 'test']);
export type SplitName = v.InferOutput<typeof splitNameSchema>;

export const splitSchema = v.object({
  schema: v.literal('redef.split/1'),
  id,
  split: splitNameSchema,
  /** `time-per-repository-and-class/80-10-10`. */
  rule: v.string(),
});
export type Split = v.InferOutput<typeof splitSchema>;

/** A change as a model sees it: one encoding under one token budget (ReDef, section 3.2). */
export const encodedSchema = v.object({
  schema: v.literal('redef.encoded/1'),
  id,
  /** `after-only`, `diff-tags`, ... */
  encoding: v.string(),
  /** The counterfactual applied, absent for the encoding itself. */
  counterfactual: v.optional(v.string()),
  /** The tokenizer's id. */
  tokenizer: v.string(),
  /** The budget, special tokens included. */
  max_tokens: count,
  /** Never longer than `max_tokens`; no padding. */
  input_ids: v.array(count),
  /** Tokens of the whole text, special tokens not included. */
  tokens: count,
  /** Of these, how many the budget cut off. */
  tokens_lost: count,
  /** Lines added plus lines deleted. */
  changed_lines: count,
  /** Of these, how many the encoding shows before anything is cut. */
  changed_lines_shown: count,
  /** Of these, how many are whole within the budget. */
  changed_lines_kept: count,
  /** Marks of the encoding that stood in the source text and were escaped; absent in older files. */
  escaped_marks: v.optional(count),
  /** Edits too long for the word marks that the encoding promises; absent where there are none. */
  unmarked_edits: v.optional(count),
});
export type Encoded = v.InferOutput<typeof encodedSchema>;

export const predictionSchema = v.object({
  schema: v.literal('redef.prediction/1'),
  id,
  model: v.string(),
  encoding: v.string(),
  /** The counterfactual that the example was shown under, absent for the encoding itself. */
  counterfactual: v.optional(v.string()),
  seed: v.number(),
  split: splitNameSchema,
  /** 1 is defective. */
  truth: v.picklist([0, 1]),
  /** The model's probability that the change is defective. */
  score: probability,
  /** The decision threshold, fixed on validation; predicted defective when `score >= threshold`. */
  threshold: v.number(),
  /** Why a model that was asked in words gave no score: then the score is 0. */
  unanswered: v.optional(v.picklist(['refused', 'unreadable', 'too-long'])),
});
export type Prediction = v.InferOutput<typeof predictionSchema>;

/** A record that a stage left out. Not an error: a row, counted by reason in the manifest. */
export const rejectSchema = v.object({
  schema: v.literal('redef.reject/1'),
  /** The change's id, or the commit or `file:line` where there is no change yet. */
  id: v.string(),
  stage: v.string(),
  /** Kebab-case. */
  reason: v.string(),
  detail: v.optional(v.string()),
});
export type Reject = v.InferOutput<typeof rejectSchema>;

/** The schema of every table by the name its rows carry. */
export const recordSchemas = {
  'redef.change/1': changeSchema,
  'redef.evidence/1': evidenceSchema,
  'redef.vote/1': voteSchema,
  'redef.label/1': labelSchema,
  'redef.split/1': splitSchema,
  'redef.encoded/1': encodedSchema,
  'redef.prediction/1': predictionSchema,
  'redef.reject/1': rejectSchema,
} as const;

export type RecordSchemaName = keyof typeof recordSchemas;
export type RecordOf<Name extends RecordSchemaName> = v.InferOutput<(typeof recordSchemas)[Name]>;

export { type MapOrderedOptions, mapOrdered, throwIfAborted } from './concurrency.js';
export { Counter } from './counter.js';
export { canonicalJson, digestOf, sha256 } from './digest.js';
export { type Disposition, RedefError, type RedefErrorOptions } from './errors.js';
export { parseRecord } from './parse-record.js';
export {
  type Category,
  type ChangeEvidence,
  type CodeChange,
  categorySchema,
  changeId,
  changeSchema,
  type Encoded,
  encodedSchema,
  evidenceSchema,
  type Hunk,
  hunkSchema,
  type Label,
  type LaterCommit,
  type LineRange,
  labelSchema,
  laterCommitSchema,
  lineRangeSchema,
  type Prediction,
  predictionSchema,
  type RecordOf,
  type RecordSchemaName,
  type Reject,
  recordSchemas,
  rejectSchema,
  type Split,
  type SplitName,
  splitNameSchema,
  splitSchema,
  type Transition,
  transitionSchema,
  type Vote,
  voteSchema,
} from './records.js';
export { requireOption, shown } from './require-option.js';
export { createRng, type Rng } from './rng.js';
export type { ProgressEvent, RunOptions } from './run-options.js';
export { UniqueIds } from './unique-ids.js';

export type { MinedRow } from './candidates/emit-rows.js';
export { mineCandidates } from './candidates/mine-candidates.js';
export {
  mineRepositories,
  type RepositoryOutcome,
  type RepositoryToMine,
} from './candidates/mine-repositories.js';
export type { MiningCounts, MiningSummary } from './candidates/summary.js';
export { type FunctionChangesOptions, mineFunctionChanges } from './changes/mine-function-changes.js';
export type { FileScan } from './functions/checkpoints.js';
export { type Language, languageOf } from './functions/language.js';
export { scanFunctions } from './functions/scanner.js';
export type { FunctionSpan } from './functions/scanner-state.js';
export { cloneRepository } from './git/clone-repository.js';
export { openRepository, type Repository, resolveCommit } from './git/repository.js';
export {
  type ChangeFilter,
  defaultExtensions,
  defaultProblemWords,
  type LabelRule,
  type MineOptions,
} from './options.js';

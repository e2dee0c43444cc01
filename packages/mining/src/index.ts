export { type FunctionChangesOptions, mineFunctionChanges } from './changes/mine-function-changes.js';
export { openRepository, type Repository } from './git/repository.js';
export {
  type ChangeFilter,
  defaultExtensions,
  defaultProblemWords,
  type LabelRule,
  type MineOptions,
} from './options.js';

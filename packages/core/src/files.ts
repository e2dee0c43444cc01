export {
  removeLeftovers,
  removeStalePartials,
  replaceFile,
  withTemporary,
  writeAtomically,
  writeFileAtomic,
} from './files/atomic.js';
export { fileError } from './files/file-error.js';
export { isRunning } from './files/is-running.js';
export {
  type JsonlLine,
  type ReadJsonlOptions,
  readJsonlLines,
  readRecords,
  writeJsonl,
  writeJsonlTables,
} from './files/jsonl.js';
export { lock } from './files/lock.js';
export { makeFolder } from './files/make-folder.js';
export { digestFile, type Manifest, manifestSchema, readManifest, writeManifest } from './files/manifest.js';
export { refuseOverwriting, type Writes } from './files/refuse-overwriting.js';

import type { Reject } from '@redef/core';
import type { Commit, FileChange } from '../git/log-stream.js';
import type { ResolvedFilter } from '../options.js';

export type SingleFile =
  | { kind: 'merge' | 'root' | 'several-files' | 'no-files' | 'other-file'; reject?: undefined }
  | { kind: 'modified'; file: FileChange }
  /** One file of an accepted name that was not modified as text: added, deleted, a link, a change of mode alone. */
  | { kind: 'not-modified'; path: string; reject: Reject };

/** Whether a commit modifies exactly one file of those that count, and which. */
export function singleFile(commit: Commit, filter: Pick<ResolvedFilter, 'accepts' | 'ignores'>): SingleFile {
  if (commit.parents.length > 1) return { kind: 'merge' };
  if (commit.parents.length === 0) return { kind: 'root' };
  if (commit.fileCount === 0) return { kind: 'no-files' };
  if (commit.fileCount > commit.files.length) return { kind: 'several-files' };
  const files = commit.fileCount === 1 ? commit.files : commit.files.filter(({ path }) => !filter.ignores(path));
  if (files.length > 1) return { kind: 'several-files' };
  const [file] = files;
  if (!file || filter.ignores(file.path) || !filter.accepts(file.path)) return { kind: 'other-file' };
  const reason = notModified(file);
  return reason
    ? { kind: 'not-modified', path: file.path, reject: reject(commit, file, 'file', reason) }
    : { kind: 'modified', file };
}

export function makeReject(id: string, stage: string, reason: string, detail?: string): Reject {
  return { schema: 'redef.reject/1', id, stage, reason, ...(detail ? { detail } : {}) };
}

/** A reject row for a commit's one file. */
export function reject(
  commit: Pick<Commit, 'hash'>,
  { path }: Pick<FileChange, 'path'>,
  stage: string,
  reason: string,
  detail?: string,
): Reject {
  return makeReject(commit.hash, stage, reason, detail === undefined ? path : `${path}: ${detail}`);
}

/** Why an entry is not the modification of a regular file; `undefined` where it is one. */
export function notModified({ status, oldMode, newMode, oldBlob, newBlob }: FileChange): string | undefined {
  if (status === 'A') return 'file-added';
  if (status === 'D') return 'file-deleted';
  if (newMode === '160000' || oldMode === '160000') return 'submodule';
  if (newMode === '120000' || oldMode === '120000') return 'symbolic-link';
  if (status !== 'M') return 'file-type-changed';
  return oldBlob === newBlob ? 'mode-changed-only' : undefined;
}

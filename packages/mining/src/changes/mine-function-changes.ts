import { type CodeChange, type Reject, type RunOptions, throwIfAborted } from '@redef/core';
import { BlobReader } from '../git/blob-reader.js';
import { type Commit, type FileChange, streamLog } from '../git/log-stream.js';
import { openRepository, type Repository, resolveRange } from '../git/repository.js';
import { type ChangeFilter, invalid, resolveFilter } from '../options.js';
import { createExtractor } from './extract-change.js';
import { textsDigest } from './make-change.js';
import { makeReject, singleFile } from './single-file.js';

export interface FunctionChangesOptions extends ChangeFilter, RunOptions {
  /** Full ids: only these commits are read, in this order. `branch` and `range` do not matter then. */
  commits?: readonly string[];
  /** Called for each commit of one accepted file that is not a single-function change; with `allRejects` for all others too. */
  onReject?: (reject: Reject) => void;
}

/** How many commits are asked of git ahead of the one at hand. */
const lookAhead = 32;

/**
 * Yields every change of a history that modifies exactly one file and, in it, exactly one function (ReDef, section 3.1),
 * parents before children. Nothing is held but the commits at hand and, to
 * name a change that was made before, a digest of each; a `break` ends git at once.
 *
 * ```ts
 * for await (const change of mineFunctionChanges('path/to/repo')) console.log(change.commit, change.function_name);
 * ```
 *
 * @param path a work tree, a bare repository or a `.git` folder
 * @throws `RedefError` what `openRepository` and `resolveCommit` throw; `git-failed` where the repository changes underway; `aborted`
 */
export async function* mineFunctionChanges(
  path: string,
  options: FunctionChangesOptions = {},
): AsyncGenerator<CodeChange, void, undefined> {
  const repository = await openRepository(path);
  const filter = resolveFilter(options, repository.name);
  const { signal, onEvent, onReject, allRejects = false, commits } = options;
  const wrong = commits?.find((id) => !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id));
  if (wrong !== undefined) throw invalid('commits', 'full commit ids', JSON.stringify(wrong));
  if (commits?.length === 0) return;
  const revisions = commits ? [] : await revisionsOf(repository, options);

  const reader = new BlobReader(repository.gitDirectory, filter.maxFileBytes);
  const extractor = createExtractor(filter);
  const firstWithTexts = new Map<string, string>();
  const waiting: ({ commit: Commit; file: FileChange; blobs: ReturnType<typeof readBoth> } | { reject: Reject })[] = [];
  const readBoth = (file: FileChange) => Promise.all([reader.read(file.oldBlob), reader.read(file.newBlob)]);
  const finish = async (): Promise<CodeChange | undefined> => {
    const next = waiting.shift()!;
    const result = 'reject' in next ? next : await extractor.extract(next.commit, next.file, ...(await next.blobs));
    if ('change' in result) {
      const { change } = result;
      const texts = textsDigest(change.function_before, change.function_after);
      const first = firstWithTexts.get(texts);
      if (first === undefined) firstWithTexts.set(texts, change.id);
      return first === undefined ? change : { ...change, identical_to: first };
    }
    onReject?.(result.reject);
    return undefined;
  };
  try {
    let done = 0;
    for await (const commit of streamLog(repository.gitDirectory, { revisions, only: commits, signal })) {
      if (++done % 1000 === 0) onEvent?.({ type: 'progress', stage: 'changes', done, unit: 'commits' });
      if (!filter.acceptsCommit(commit)) continue;
      const found = singleFile(commit, filter);
      if (found.kind !== 'modified') {
        if (found.reject) waiting.push({ reject: found.reject });
        else if (allRejects) waiting.push({ reject: makeReject(commit.hash, 'commit', found.kind) });
        else continue;
      } else {
        const blobs = readBoth(found.file);
        blobs.catch(() => {}); // seen when its turn comes
        waiting.push({ commit, file: found.file, blobs });
      }
      if (waiting.length >= lookAhead) {
        const change = await finish();
        if (change) yield change;
      }
    }
    while (waiting.length > 0) {
      throwIfAborted(signal);
      const change = await finish();
      if (change) yield change;
    }
    onEvent?.({ type: 'progress', stage: 'changes', done, total: done, unit: 'commits' });
  } finally {
    await Promise.all([reader.close(), extractor.close()]);
  }
}

async function revisionsOf(repository: Repository, options: ChangeFilter): Promise<string[]> {
  const { head, exclude } = await resolveRange(repository, options);
  return exclude ? [head, `^${exclude}`] : [head];
}

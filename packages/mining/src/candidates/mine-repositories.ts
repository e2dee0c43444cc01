import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { RedefError, type Reject, type RunOptions } from '@redef/core';
import type { MineOptions } from '../options.js';
import type { MinedRow } from './emit-rows.js';
import { mineCandidates } from './mine-candidates.js';
import type { MiningSummary } from './summary.js';

/** A repository by its path, or with options of its own that win over the common ones. */
export type RepositoryToMine = string | ({ path: string } & Pick<MineOptions, 'project' | 'branch' | 'range'>);

/** What became of each repository, in their order. */
export type RepositoryOutcome =
  | { path: string; summary: MiningSummary }
  /** It could not be mined: its reject row says why as well. */
  | { path: string; error: RedefError };

/**
 * Mines several repositories, one after the other: {@link mineCandidates} for each, their rows in the order given. One
 * that cannot be mined becomes a reject and the others go on; only an abort ends the run. `index` names a folder in
 * which each repository gets one of its own.
 */
export async function* mineRepositories(
  repositories: Iterable<RepositoryToMine> | AsyncIterable<RepositoryToMine>,
  options: MineOptions & RunOptions = {},
): AsyncGenerator<MinedRow, RepositoryOutcome[], undefined> {
  const outcomes: RepositoryOutcome[] = [];
  for await (const repository of repositories) {
    const { path, ...own } = typeof repository === 'string' ? { path: repository } : repository;
    const index = options.index === undefined ? {} : { index: join(options.index, indexName(path)) };
    try {
      const summary = yield* mineCandidates(path, { ...options, ...own, ...index });
      outcomes.push({ path, summary });
    } catch (error) {
      if (!RedefError.isInstance(error) || error.code === 'aborted') throw error;
      outcomes.push({ path, error });
      const reject: Reject = {
        schema: 'redef.reject/1',
        id: path,
        stage: 'repository',
        reason: error.code,
        detail: error.message,
      };
      yield { kind: 'reject', reject };
    }
  }
  return outcomes;
}

/** Readable, and different for two folders of one name. */
function indexName(path: string): string {
  const absolute = resolve(path);
  const name = absolute
    .split(/[\\/]/)
    .filter(Boolean)
    .slice(-2)
    .join('-')
    .replace(/[^\w.-]+/g, '_');
  return `${name}-${createHash('sha256').update(absolute).digest('hex').slice(0, 8)}`;
}

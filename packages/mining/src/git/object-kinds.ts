import type { ObjectKind } from '../reverts/link-reverts.js';
import { askGit } from './git-process.js';

/** What full or abbreviated ids stand for in the whole repository, in their order. */
export async function objectKinds(gitDirectory: string, hashes: readonly string[]): Promise<ObjectKind[]> {
  if (hashes.length === 0) return [];
  const answer = await askGit(gitDirectory, ['cat-file', '--batch-check=%(objecttype)'], `${hashes.join('\n')}\n`);
  return (answer ?? '')
    .trimEnd()
    .split('\n')
    .map((line) =>
      line === 'commit'
        ? 'commit'
        : line.endsWith(' ambiguous')
          ? 'ambiguous'
          : line.endsWith(' missing') || line === ''
            ? 'missing'
            : 'other',
    );
}

// How many changes `unified-diff` prints as git does, byte for byte, and which script of the others is longer.
//
//   pnpm --filter @redef/encoders build && node packages/encoders/bench/git-diff.mjs <changes>
//
// `changes` is a file of changes as `redef mine` writes them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEncoding, renderLayout } from '@redef/encoders';

const encoding = createEncoding('unified-diff');
const folder = mkdtempSync(join(tmpdir(), 'redef-git-diff-'));
const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const args = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--text', '-U3', 'before', 'after'];

function gitDiff({ function_before, function_after }) {
  for (const [name, text] of Object.entries({ before: function_before, after: function_after }))
    writeFileSync(join(folder, name), text === '' ? '' : `${text}\n`);
  const { stdout, error } = spawnSync('git', args, { cwd: folder, encoding: 'utf8', env, maxBuffer: 2 ** 28 });
  if (error) throw error;
  return stdout.slice(stdout.search(/^@@ /m)).replace(/\n$/, '');
}

const edits = (text) => text.split('\n').filter((line) => /^[-+]/.test(line)).length;
const counts = { changes: 0, equal: 0, longerInGit: 0, sameLength: 0, shorterInGit: 0 };
for (const line of readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const change = JSON.parse(line);
  const [ours] = renderLayout(encoding.layout(change));
  const gits = gitDiff(change);
  counts.changes++;
  if (ours === gits) counts.equal++;
  else {
    const difference = edits(gits) - edits(ours);
    counts[difference > 0 ? 'longerInGit' : difference < 0 ? 'shorterInGit' : 'sameLength']++;
  }
}
rmSync(folder, { recursive: true });
console.log(counts);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRepository } from '../src/git/repository.js';
import { FunctionHistory } from '../src/history/function-history.js';
import { openHistoryIndex } from '../src/history/history-index.js';
import { loadHistory, readVerdicts, type SingleChange } from '../src/history/load-history.js';
import { resolveFilter } from '../src/options.js';
import { FixtureRepository, source } from './git-fixture.js';

const scratch = mkdtempSync(join(tmpdir(), 'redef-functions-'));
const repository = new FixtureRepository();
afterAll(() => {
  repository.remove();
  rmSync(scratch, { recursive: true, force: true });
});

test('what is held and what is read again gives the same later commits, through renames from bucket to bucket', async () => {
  const numbers = Array.from({ length: 12 }, () => [0, 0]);
  const paths = numbers.map((_, i) => `dir${i}/file.c`);
  const text = (i: number): string =>
    source({ f: `return ${numbers[i]![0]};`, g: `return ${numbers[i]![1]};`, h: 'return 0;' });
  repository.commit({ message: '0', files: Object.fromEntries(paths.map((path, i) => [path, text(i)])) });
  for (let n = 1; n <= 150; n++) {
    const i = (n * 7) % 12;
    if (n % 10 === 0) {
      const old = paths[i]!;
      paths[i] = `moved${n}/file${i}.c`;
      repository.commit({ message: `${n}`, files: { [old]: null, [paths[i]!]: text(i) } });
    } else {
      numbers[i]![n % 2] = n;
      repository.commit({ message: `${n}`, files: { [paths[i]!]: text(i) } });
    }
  }
  const opened = await openRepository(repository.path);
  const filter = resolveFilter({}, 'p');
  const head = repository.id(151);
  const index = await openHistoryIndex({ repository: opened, head, folder: scratch, filter, config: {}, workers: 0 });
  const history = await loadHistory(index, { problemWords: [], acceptsCommit: () => true });
  const changes: SingleChange[] = [];
  for await (const bucket of readVerdicts(history)) changes.push(...bucket.changes);
  expect(changes.length).toBeGreaterThan(120);
  const forgetful = await FunctionHistory.open(scratch, 1, history.graph, { maxTouches: 0 });
  let moved = 0;
  for (const change of changes) {
    const later = await history.functions.later(change.commit, change, 5);
    expect(await forgetful.later(change.commit, change, 5)).toEqual(later);
    if (later.some((commit) => history.verdicts.path(commit) !== change.path)) moved++;
  }
  expect(moved).toBeGreaterThan(20);
  history.rows.close();
  await index.close();
});

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mineCandidates } from '../src/index.js';
import { builtPackage } from './built.js';
import { collectAll, type FixtureCommit, FixtureRepository, source } from './git-fixture.js';

const scratch = mkdtempSync(join(tmpdir(), 'redef-index-'));
const repositories: FixtureRepository[] = [];
afterAll(() => {
  for (const repository of repositories) repository.remove();
  rmSync(scratch, { recursive: true, force: true });
});
const make = (): FixtureRepository => {
  const repository = new FixtureRepository();
  repositories.push(repository);
  return repository;
};

/** A history of several files, with merges, renames and reverts in it. */
function grow(repository: FixtureRepository, count: number): void {
  for (let i = 0; i < count; i++) {
    const mark = repository.ids.length + 1;
    const path = `dir${mark % 3}/file${mark % 5}.c`;
    const commit: FixtureCommit = {
      message: mark % 11 === 0 ? `Revert it\n\nThis reverts commit ${repository.id(mark - 5)}.` : `Commit ${mark}`,
      files: { [path]: source({ f: `return ${mark};`, g: `return ${mark % 4};`, h: 'return 0;' }) },
      // a side branch whose committer date is early, so that the order is not that of reading
      ...(mark > 10 && mark % 9 === 0 ? { from: mark - 4, branch: 'side', at: (mark - 3) * 3600 } : {}),
      ...(mark > 10 && mark % 9 === 1 ? { from: mark - 2, merge: [mark - 1] } : {}),
    };
    repository.commit(commit);
  }
  repository.git('update-ref', 'refs/heads/main', repository.id(repository.ids.length));
}

const mine = async (repository: FixtureRepository, options: Parameters<typeof mineCandidates>[1] = {}) => {
  const { rows, summary } = await collectAll(
    mineCandidates(repository.path, { project: 'p', allClean: true, problemWords: [], ...options }),
  );
  return { text: rows.map((row) => JSON.stringify(row)).join('\n'), summary };
};

describe('an index folder', () => {
  test('is extended by new commits to what a fresh run gives, and left alone when there are none', async () => {
    const repository = make();
    const index = join(scratch, 'extended');
    grow(repository, 25);
    expect((await mine(repository, { index })).summary.index).toBe('new');
    grow(repository, 25);
    const extended = await mine(repository, { index });
    const fresh = await mine(repository);
    expect(extended.summary.index).toBe('extended');
    expect(extended.text).toBe(fresh.text);
    expect(extended.summary.counts).toEqual(fresh.summary.counts);
    const again = await mine(repository, { index });
    expect(again.summary.index).toBe('current');
    expect(again.text).toBe(fresh.text);
  });

  test('is built again where the history was rewritten or other files are read', async () => {
    const repository = make();
    const index = join(scratch, 'rewritten');
    grow(repository, 20);
    await mine(repository, { index });
    repository.git('update-ref', 'refs/heads/main', repository.id(8));
    const rewritten = await mine(repository, { index });
    expect(rewritten.summary).toMatchObject({ index: 'rewritten', commits: (await mine(repository)).summary.commits });
    expect(rewritten.text).toBe((await mine(repository)).text);
    const other = await mine(repository, { index, extensions: ['cc'] });
    expect(other.summary).toMatchObject({ index: 'rewritten', counts: { single_file: 0 } });
  });

  test('goes on where a run was stopped, after any finished bucket', async () => {
    const repository = make();
    grow(repository, 40);
    const { text } = await mine(repository);
    for (const stopAfter of [0, 1, 4]) {
      const index = join(scratch, `stopped-${stopAfter}`);
      const controller = new AbortController();
      let buckets = 0;
      const stopped = collectAll(
        mineCandidates(repository.path, {
          index,
          signal: controller.signal,
          onEvent: ({ stage }) => {
            if (stage === 'functions' && ++buckets > stopAfter) controller.abort();
          },
        }),
      );
      await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
      const resumed = await mine(repository, { index });
      expect(resumed.summary.index).toBe('extended');
      expect(resumed.text).toBe(text);
    }
  });

  test('survives bytes that a killed run left behind its last whole state', async () => {
    const repository = make();
    grow(repository, 15);
    const index = join(scratch, 'killed');
    await mine(repository, { index });
    writeFileSync(
      join(index, 'commits.jsonl'),
      `${readFileSync(join(index, 'commits.jsonl'), 'utf8')}{"hash":"half a ro`,
    );
    writeFileSync(join(index, 'pairs-1-0.jsonl'), '{"commit":');
    writeFileSync(join(index, 'touches-1-0.jsonl.999.partial'), '{"com');
    grow(repository, 5);
    expect((await mine(repository, { index })).text).toBe((await mine(repository)).text);
  });

  test('that is no index of this version is refused, and files of others are never removed', async () => {
    const repository = make();
    grow(repository, 5);
    const index = join(scratch, 'foreign');
    await mine(repository, { index });
    writeFileSync(join(index, 'mine.txt'), 'keep');
    writeFileSync(join(index, 'index.json'), '{"schema":"redef.mining-index/99"}');
    await expect(mine(repository, { index })).rejects.toMatchObject({ code: 'invalid-index' });
    rmSync(join(index, 'index.json'));
    await mine(repository, { index });
    expect(existsSync(join(index, 'mine.txt'))).toBe(true);
  });

  test('that is damaged is refused with the file and the remedy', async () => {
    const repository = make();
    grow(repository, 20);
    for (const name of ['commits.jsonl', 'touches']) {
      const index = join(scratch, `damaged-${name}`);
      await mine(repository, { index });
      const path = join(index, readdirSync(index).find((file) => file.startsWith(name))!);
      const bytes = readFileSync(path);
      bytes.fill(0, 10, 20);
      writeFileSync(path, bytes);
      await expect(mine(repository, { index })).rejects.toMatchObject({
        code: 'invalid-index',
        message: expect.stringContaining(path),
      });
    }
  });

  test('whose files were cut off or removed is refused, never read as a shorter history', async () => {
    const repository = make();
    grow(repository, 30);
    const index = join(scratch, 'cut');
    await mine(repository, { index });
    for (const name of readdirSync(index).filter((file) => /^(?:commits|touches-|renames-)/.test(file))) {
      const path = join(index, name);
      const bytes = readFileSync(path);
      if (bytes.length === 0) continue;
      const firstLines = bytes.subarray(0, bytes.lastIndexOf('\n', bytes.length - 2) + 1);
      for (const damage of [() => writeFileSync(path, firstLines), () => rmSync(path)]) {
        damage();
        await expect(mine(repository, { index }), name).rejects.toMatchObject({
          code: 'invalid-index',
          message: expect.stringContaining(index),
        });
        writeFileSync(path, bytes);
      }
    }
    expect((await mine(repository, { index })).summary.index).toBe('current');
  });

  test('a temporary one leaves nothing', async () => {
    const repository = make();
    grow(repository, 5);
    const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('redef-mining-'));
    const before = left();
    await mine(repository);
    for await (const row of mineCandidates(repository.path)) {
      expect(row.kind).toBe('reject');
      break;
    }
    expect(left()).toEqual(before);
  });
});

describe('worker processes', () => {
  beforeAll(async () => void (await builtPackage()), 120_000);

  test('any number of them gives the same rows', async () => {
    const repository = make();
    grow(repository, 60);
    const alone = await mine(repository);
    for (const workers of [2, 3]) expect((await mine(repository, { workers })).text).toBe(alone.text);
  });

  // any clone: REDEF_MINING_REPOSITORY=path/to/repository
  const real = process.env.REDEF_MINING_REPOSITORY;
  if (!real) console.warn('SKIPPED: workers on a real repository, since REDEF_MINING_REPOSITORY names none');
  test.skipIf(!real)(
    'and on a real repository',
    async () => {
      const digest = async (workers: number): Promise<string> => {
        const hash = createHash('sha256');
        for await (const row of mineCandidates(real!, { allClean: true, workers })) hash.update(JSON.stringify(row));
        return hash.digest('hex');
      };
      expect(await digest(2)).toBe(await digest(0));
    },
    600_000,
  );

  test('a failure in one is told with its code', async () => {
    const repository = make();
    grow(repository, 40);
    const index = join(scratch, 'failing');
    const controller = new AbortController();
    const stopped = mine(repository, {
      index,
      signal: controller.signal,
      onEvent: ({ stage }) => stage === 'functions' && controller.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    const bucket = readdirSync(index).find((name) => name.startsWith('pairs-'))!;
    writeFileSync(join(index, bucket), 'not json\n');
    await expect(mine(repository, { index, workers: 2 })).rejects.toMatchObject({ code: 'jsonl-syntax' });
  });
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { scanFunctions } from '../src/functions/scanner.js';
import { mineCandidates, mineFunctionChanges, openRepository, resolveCommit } from '../src/index.js';
import { collect, collectAll, FixtureRepository, source } from './git-fixture.js';

const repositories: FixtureRepository[] = [];
const scratch = mkdtempSync(join(tmpdir(), 'redef-hostile-'));
afterAll(() => {
  for (const repository of repositories) repository.remove();
  rmSync(scratch, { recursive: true, force: true });
});
const make = (): FixtureRepository => {
  const repository = new FixtureRepository();
  repositories.push(repository);
  return repository;
};
const one = (value: number): string => source({ f: `return ${value};` });
const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: { code: string }) => error.code,
  );

describe('repositories that cannot be mined', () => {
  test('each has its own code', async () => {
    expect(await code(openRepository(join(scratch, 'nothing')))).toBe('repository-missing');
    const file = join(scratch, 'file');
    writeFileSync(file, 'x');
    expect(await code(openRepository(file))).toBe('repository-missing');
    const folder = join(scratch, 'folder');
    mkdirSync(folder);
    expect(await code(openRepository(folder))).toBe('not-a-repository');
    expect(await code(openRepository(make().path))).toBe('empty-repository');
    const whole = make().commit({ message: '1', files: { 'a.c': one(1) } }, { message: '2', files: { 'a.c': one(2) } });
    const shallow = join(scratch, 'shallow');
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${whole.path}`, shallow], { stdio: 'ignore' });
    expect(await code(openRepository(shallow))).toBe('shallow-repository');
    const opened = await openRepository(whole.path);
    expect(await code(resolveCommit(opened, 'no-such-branch'))).toBe('missing-commit');
    expect(await code(collect(mineFunctionChanges(whole.path, { branch: 'f'.repeat(40) })))).toBe('missing-commit');
    expect(await code(collect(mineFunctionChanges(whole.path, { range: 'main...main' })))).toBe('invalid-revision');
  });

  test('a folder inside of another repository is not taken for it', async () => {
    const work = join(scratch, 'outer');
    execFileSync('git', ['init', '--quiet', work]);
    mkdirSync(join(work, 'inner'));
    expect(await code(openRepository(join(work, 'inner')))).toBe('not-a-repository');
  });

  test('work trees, .git folders, linked work trees and bare repositories all open', async () => {
    const bare = make().commit({ message: '1', files: { 'a.c': one(1) } }, { message: '2', files: { 'a.c': one(2) } });
    const work = join(scratch, 'work');
    execFileSync('git', ['clone', '--quiet', bare.path, work], { stdio: 'ignore' });
    execFileSync('git', ['-C', work, 'worktree', 'add', '--quiet', join(scratch, 'linked'), 'HEAD~1', '--detach'], {
      stdio: 'ignore',
    });
    for (const path of [bare.path, work, join(work, '.git')])
      expect(await collect(mineFunctionChanges(path))).toHaveLength(1);
    expect(await collect(mineFunctionChanges(join(scratch, 'linked')))).toHaveLength(0); // its own HEAD
    expect((await openRepository(work)).name).toBe('work');
  });
});

test('names that begin with a dash are names, or are refused, and never options', async () => {
  const repository = make().commit(
    { message: '1', files: { '-a.c': one(1), '--output=x.c': one(1) } },
    { message: '2', files: { '-a.c': one(2) } },
    { message: '3', files: { '--output=x.c': one(2) } },
  );
  expect((await collect(mineFunctionChanges(repository.path))).map(({ path }) => path)).toEqual([
    '-a.c',
    '--output=x.c',
  ]);
  const target = join(scratch, 'written');
  for (const branch of [`--output=${target}`, '-h', '--all', '$(touch x)', 'a b', 'main^{/x}', ':/x']) {
    expect(await code(collect(mineFunctionChanges(repository.path, { branch }))), branch).toMatch(
      /^(?:invalid-revision|missing-commit)$/,
    );
    expect(await code(collect(mineFunctionChanges(repository.path, { range: `${branch}..main` })))).toMatch(
      /^(?:invalid-revision|missing-commit)$/,
    );
  }
  expect(existsSync(target)).toBe(false);
});

test('paths with newlines, quotes and bytes that are not UTF-8; messages with anything in them', async () => {
  const nasty = ['new\nline.c', 'quo"te\\.c', ' lead.c', 'tab\t.c', 'ünï.c'];
  const repository = make().commit({ message: '1', files: Object.fromEntries(nasty.map((path) => [path, one(1)])) });
  for (const path of nasty)
    repository.commit({
      message: `\x01\x01${'0'.repeat(40)}\x02\n:100644 100644 a b M\n\n`,
      files: { [path]: one(2) },
    });
  const changes = await collect(mineFunctionChanges(repository.path));
  expect(changes.map(({ path }) => path)).toEqual(nasty);
  expect(changes[0]!.message).toBe(`\x01\x01${'0'.repeat(40)}\x02\n:100644 100644 a b M`);
  const { rows } = await collectAll(mineCandidates(repository.path, { allClean: true }));
  expect(rows).toHaveLength(nasty.length);

  const bytes = make();
  const stream = (value: number): Buffer =>
    Buffer.concat([
      Buffer.from(
        `commit refs/heads/main\ncommitter C <c@example.org> ${1577836800 + value} +0000\ndata 1\nx\nM 100644 inline "`,
      ),
      Buffer.from([0x62, 0xe9, 0xff]),
      Buffer.from(`.c"\ndata ${one(value).length}\n${one(value)}\n`),
    ]);
  execFileSync('git', ['fast-import', '--quiet'], { cwd: bytes.path, input: Buffer.concat([stream(1), stream(2)]) });
  expect((await collect(mineFunctionChanges(bytes.path))).map(({ path }) => path)).toEqual(['b\\xe9\\xff.c']);
});

test('nothing that a repository configures is run', async () => {
  const repository = make().commit(
    { message: '1', files: { 'a.c': one(1), '.gitattributes': '*.c diff=evil filter=evil\n' } },
    { message: '2', files: { 'a.c': one(2) } },
  );
  const trace = join(scratch, 'ran');
  const program = join(scratch, 'evil.sh');
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${trace}\ncat\n`);
  chmodSync(program, 0o755);
  for (const [name, value] of [
    ['core.fsmonitor', program],
    ['core.pager', program],
    ['pager.log', program],
    ['core.sshCommand', program],
    ['core.editor', program],
    ['core.alternateRefsCommand', program],
    ['diff.external', program],
    ['diff.evil.textconv', program],
    ['diff.evil.command', program],
    ['filter.evil.smudge', program],
    ['filter.evil.clean', program],
    ['alias.log', `!${program}`],
    ['alias.cat-file', `!${program}`],
    ['gpg.program', program],
    ['log.showSignature', 'true'],
    ['uploadpack.packObjectsHook', program],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.url', `ext::${program}`],
    ['remote.origin.uploadpack', program],
    ['remote.origin.promisor', 'true'],
    ['protocol.ext.allow', 'always'],
    ['protocol.file.allow', 'always'],
  ] as const) {
    repository.git('config', name, value);
  }
  for (const hook of ['post-checkout', 'pre-auto-gc', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(repository.path, 'hooks', hook), `#!/bin/sh\n${program}\n`);
    chmodSync(join(repository.path, 'hooks', hook), 0o755);
  }
  writeFileSync(join(repository.path, 'info', 'attributes'), '*.c diff=evil filter=evil\n');
  // an object that is not there makes git ask its promisor, unless it is told not to
  const blob = repository.git('rev-parse', `${repository.id(2)}:a.c`);
  expect(await collect(mineFunctionChanges(repository.path))).toHaveLength(1);
  removeObject(repository, blob);
  await collectAll(mineCandidates(repository.path));
  expect(existsSync(trace)).toBe(false);
});

/** Takes one object out of a repository, as a partial clone lacks it. */
function removeObject(repository: FixtureRepository, id: string): void {
  const packs = join(repository.path, 'objects', 'pack');
  for (const name of readdirSync(packs).filter((file) => file.endsWith('.pack'))) {
    const moved = join(repository.path, name);
    execFileSync('mv', [join(packs, name), moved]);
    rmSync(join(packs, name.replace(/pack$/, 'idx')), { force: true });
    execFileSync('sh', ['-c', `git unpack-objects -q < "${moved}"`], { cwd: repository.path });
  }
  rmSync(join(repository.path, 'objects', id.slice(0, 2), id.slice(2)));
}

test('absent blobs are counted, not fatal', async () => {
  const repository = make().commit(
    { message: '1', files: { 'a.c': one(1), 'b.c': one(1) } },
    { message: '2', files: { 'a.c': one(22) } },
    { message: '3', files: { 'b.c': one(2) } },
    { message: '4', files: { 'b.c': one(3) } },
  );
  removeObject(repository, repository.git('rev-parse', `${repository.id(2)}:a.c`));
  const reasons: string[] = [];
  expect(
    await collect(mineFunctionChanges(repository.path, { onReject: ({ reason }) => reasons.push(reason) })),
  ).toHaveLength(2);
  expect(reasons).toEqual(['blob-missing']);
  const { summary } = await collectAll(mineCandidates(repository.path, { allClean: true }));
  expect(summary.counts).toMatchObject({ clean: 1, rejects: { 'file/blob-missing': 1 } });
});

test('a commit that is gone is an error that names it, never passed over', async () => {
  const repository = make().commit(
    { message: '1', files: { 'a.c': one(1) } },
    { message: '2', files: { 'a.c': one(2) } },
    { message: '3', files: { 'a.c': one(3) } },
  );
  const absent = 'f'.repeat(40);
  for (const commits of [[repository.id(2), absent, repository.id(3)], [repository.id(2), absent], [absent]]) {
    const work = collect(mineFunctionChanges(repository.path, { commits }));
    await expect(work).rejects.toMatchObject({ code: 'git-failed', message: expect.stringContaining(absent) });
  }
  removeObject(repository, repository.id(2));
  expect(await code(collect(mineFunctionChanges(repository.path)))).toBe('git-failed');
  expect(await code(collect(mineCandidates(repository.path)))).toBe('git-failed');
});

test('submodules and symbolic links are rejects', async () => {
  const repository = make().commit(
    {
      message: '1',
      files: {
        'sub.c': { mode: '160000', content: '1'.repeat(40) },
        'link.c': { mode: '120000', content: '/etc/passwd' },
      },
    },
    { message: '2', files: { 'sub.c': { mode: '160000', content: '2'.repeat(40) } } },
    { message: '3', files: { 'link.c': { mode: '120000', content: '/etc/shadow' } } },
    { message: '4', files: { 'link.c': one(1) } },
  );
  const { summary } = await collectAll(mineCandidates(repository.path));
  expect(summary.counts.rejects).toEqual({ 'file/submodule': 1, 'file/symbolic-link': 2 });
});

test('a commit of 5,000 files, a file of 50 MB in one line, and one of deep nesting', async () => {
  const many = (value: number) =>
    Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`d${i % 50}/f${i}.c`, `int v = ${value};\n`]));
  const line = `int x[] = { ${'1, '.repeat(17_000_000)}0 };\n`;
  const repository = make().commit(
    {
      message: '1',
      files: {
        ...many(1),
        'big.c': one(1),
        'deep.c': `${'{'.repeat(200_000)}\nint f(void) { return 0; }\n`,
        'parens.c': '('.repeat(300_000),
      },
    },
    { message: '2', files: many(2) },
    { message: '3', files: { 'big.c': line } },
    { message: '4', files: { 'deep.c': `${'{'.repeat(200_000)}\nint f(void) { return 1; }\n` } },
    { message: '5', files: { 'parens.c': `${'('.repeat(300_000)}{` } },
  );
  const { summary } = await collectAll(mineCandidates(repository.path));
  expect(summary.counts.rejects).toMatchObject({ 'file/file-too-large': 1, 'function/outside-function': 2 });
  const bytes = Buffer.from(`${line}${one(1)}`);
  expect(scanFunctions(bytes, 'c').functions).toMatchObject([{ name: 'f', startLine: 2, endLine: 5 }]);
});

test('scopes opened 30,000 times and never closed cost no more than their length asks for', () => {
  for (const opening of [
    'namespace n {',
    'extern "C" {',
    'class A {',
    '#if X\nnamespace n {',
    '#if X\n{',
    'enum E {',
  ]) {
    const bytes = Buffer.from(`${one(1)}${`${opening}\n`.repeat(30_000)}`);
    const before = process.memoryUsage().heapUsed;
    expect(scanFunctions(bytes, 'cpp').functions[0]).toMatchObject({ name: 'f', startLine: 1, endLine: 4 });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(bytes.length * 500);
  }
});

test('a repository that is deleted or force-pushed in the middle ends in an error that says so, or in what was read', async () => {
  const commits = Array.from({ length: 3000 }, (_, i) => ({ message: `${i}`, files: { [`f${i % 7}.c`]: one(i) } }));
  const deleted = make().commit(...commits);
  const rows = mineFunctionChanges(deleted.path);
  await rows.next();
  deleted.remove();
  const end = await code(collect(rows));
  expect(['git-failed', 'repository-missing', 'none']).toContain(end); // git may hold the pack open to its end

  const gone = make().commit(...commits);
  const onEvent = ({ stage }: { stage: string }): void => void (stage === 'log' && gone.remove());
  expect(await code(collect(mineCandidates(gone.path, { onEvent })))).toBe('repository-missing');

  const pushed = make().commit(...commits);
  const going = mineFunctionChanges(pushed.path);
  await going.next();
  pushed.git('update-ref', 'refs/heads/main', pushed.id(1));
  pushed.git('reflog', 'expire', '--expire=now', '--all');
  expect(await code(collect(going))).toBe('none'); // the head is resolved once, and its objects are still there
});

test('a folder that is a link to a repository opens as what it links to', async () => {
  const repository = make().commit(
    { message: '1', files: { 'a.c': one(1) } },
    { message: '2', files: { 'a.c': one(2) } },
  );
  symlinkSync(repository.path, join(scratch, 'link'));
  expect(await collect(mineFunctionChanges(join(scratch, 'link')))).toHaveLength(1);
});

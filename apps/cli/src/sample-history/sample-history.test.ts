import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hamper } from './hamper.js';
import { commitsOf } from './history.js';
import { writeSampleHistory } from './index.js';
import { quill } from './quill.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-sample-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const git = (path: string, ...args: string[]) =>
  execFileSync('git', ['-C', path, ...args], { encoding: 'utf8', env: { PATH: process.env.PATH } }).trim();
const heads = ['a99becd9f738ee2efd3a863ed587cabf36992219', 'c1e9cb1434868019044023230f036321be07aad5'];

test('gives the same two histories whatever the configuration of git says', async () => {
  const template = join(folder, 'template');
  mkdirSync(join(template, 'hooks'), { recursive: true });
  writeFileSync(join(template, 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${folder}/hook-ran\n`, { mode: 0o755 });
  writeFileSync(
    join(folder, '.gitconfig'),
    `[core]\n autocrlf = true\n[init]\n defaultBranch = trunk\n templateDir = ${template}\n defaultObjectFormat = sha256\n` +
      '[commit]\n gpgSign = true\n[user]\n name = Somebody\n',
  );
  vi.stubEnv('HOME', folder);
  vi.stubEnv('GIT_DIR', join(folder, 'elsewhere'));
  vi.stubEnv('GIT_AUTHOR_DATE', '2001-01-01T00:00:00Z');
  vi.stubEnv('GIT_DEFAULT_HASH', 'sha256');
  vi.stubEnv('TZ', 'Asia/Tokyo');

  const { repositories } = await writeSampleHistory(join(folder, 'sample'));

  expect(repositories.map(({ project }) => project)).toEqual(['quill', 'hamper']);
  expect(repositories.map(({ path }) => git(path, 'rev-parse', 'main'))).toEqual(heads);
  for (const { path } of repositories) {
    expect(git(path, 'fsck', '--strict')).toBe('');
    expect(git(path, 'status', '--porcelain')).toBe('');
  }
  expect(readdirSync(folder)).not.toContain('hook-ran');
  expect(readdirSync(join(folder, 'sample'))).toEqual(['hamper', 'quill']);
});

test('leaves a history that is there, writes one that is missing and touches nothing else', async () => {
  await writeSampleHistory(folder);
  const written = statSync(join(folder, 'hamper')).mtimeMs;
  rmSync(join(folder, 'quill'), { recursive: true });

  await writeSampleHistory(folder);
  expect(git(join(folder, 'quill'), 'rev-parse', 'HEAD')).toBe(heads[0]);
  expect(statSync(join(folder, 'hamper')).mtimeMs).toBe(written);

  git(join(folder, 'hamper'), 'reset', '--quiet', '--hard', 'HEAD~1');
  await expect(writeSampleHistory(folder)).rejects.toMatchObject({ code: 'folder-not-empty' });
  expect(readdirSync(folder)).toEqual(['hamper', 'quill']);
});

test('a folder that is a file is refused by name', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(writeSampleHistory(join(folder, 'file'))).rejects.toMatchObject({ code: 'folder-not-empty' });
});

test('without git it says so', async () => {
  vi.stubEnv('PATH', folder);
  await expect(writeSampleHistory(folder)).rejects.toMatchObject({ code: 'git-missing' });
});

/** What the stages of a study need to find in it, by the rules of ReDef, section 3.1, applied to the log itself. */
test.each([quill, hamper])('$name has enough of every class for an 80/10/10 split by time', (project) => {
  const commits = [...commitsOf(project)];
  const fields = project.log
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const stated = fields.filter(([verb, shape]) => verb === 'undo' && !/^(bare|quoted|words|merge)$/.test(shape!));
  expect(stated.flatMap(([, , names]) => names!.split(',')).length).toBeGreaterThanOrEqual(22);

  const touched = fields.map(([verb, ...words]) => {
    if (verb === 'edit') return words[0]!.split(',');
    const names = verb === 'undo' ? words[1]! : verb === 'redo' ? words[0]! : '';
    if (names === '') return words.slice(1, 2);
    return names.split(',').map((name) => fields.find(([, named]) => named === name.replace('merge-of-', ''))![2]!);
  });
  const clean = fields.filter(([verb, key], at) => {
    const later = commits.filter((_, i) => i > at && touched[i]!.includes(key!)).slice(0, 5);
    return verb === 'edit' && later.length > 0 && !later.some(({ message }) => /revert|regression/i.test(message));
  });
  expect(clean.length).toBeGreaterThanOrEqual(36);
});

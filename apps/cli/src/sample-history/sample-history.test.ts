import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mineCandidates } from '@redef/mining';
import { type Candidate, createRuleVoter, triage } from '@redef/triage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeSampleHistory } from './index.js';

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
const heads = ['a99becd9f738ee2efd3a863ed587cabf36992219', 'f370bd600ddbaa1acea2eee28c7a0ab7e7d7f8f0'];

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
  writeFileSync(join(folder, 'quill'), '');
  await expect(writeSampleHistory(join(folder, 'quill'))).rejects.toMatchObject({ code: 'not-a-folder' });
  await expect(writeSampleHistory(folder)).rejects.toMatchObject({ code: 'folder-not-empty' });
});

test('without git it says so', async () => {
  vi.stubEnv('PATH', folder);
  await expect(writeSampleHistory(folder)).rejects.toMatchObject({ code: 'git-missing' });
});

test('holds enough of both classes, every reject reason and a text with both labels for a study of it', async () => {
  const { repositories } = await writeSampleHistory(folder);
  for (const { path } of repositories) {
    const candidates: Candidate[] = [];
    const reasons = new Set<string>();
    const shapes = new Set<string>();
    for await (const row of mineCandidates(path, { allClean: true })) {
      if (row.kind === 'reject') reasons.add(row.reject.reason);
      else candidates.push(row);
      if (row.kind === 'candidate' && row.evidence.kind === 'revert') shapes.add(row.evidence.shape);
    }
    const labels: string[] = [];
    const textsOf: Record<string, Set<string>> = { defective: new Set(), clean: new Set() };
    const textOf = new Map(candidates.map(({ change }) => [change.id, change.function_after]));
    for await (const { id, label } of triage(candidates, { voters: [createRuleVoter()] })) {
      if (!label) continue;
      labels.push(label.label);
      textsOf[label.label]!.add(textOf.get(id)!);
    }
    expect([...textsOf.defective!].some((text) => textsOf.clean!.has(text))).toBe(true);
    // 80/10/10 by time within a class leaves two or more everywhere from 20 on
    expect(labels.filter((label) => label === 'defective').length).toBeGreaterThanOrEqual(22);
    expect(labels.filter((label) => label === 'clean').length).toBeGreaterThanOrEqual(45);
    expect([...reasons]).toEqual(
      expect.arrayContaining(['problem-word', 'never-touched-again', 'outside-function', 'function-renamed']),
    );
    expect(shapes.size).toBeGreaterThanOrEqual(5);
    expect(candidates.some(({ change }) => change.identical_to)).toBe(true);
  }
});

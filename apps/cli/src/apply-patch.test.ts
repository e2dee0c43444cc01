import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyPatch } from './apply-patch.js';

let folder: string;
let file: string;
const [before, after] = [Buffer.from('before\n'), Buffer.from('after\n')];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-apply-'));
  file = join(folder, 'net.c');
  writeFileSync(file, before, { mode: 0o640 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const codeOf = async (path: string, expected = before) => {
  const error = await applyPatch(path, expected, after).catch((thrown: unknown) => thrown);
  return RedefError.isInstance(error) ? error.code : error;
};
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-C', folder, ...args]);

test('keeps permissions and writes behind a link', async () => {
  const link = join(folder, 'link.c');
  symlinkSync('net.c', link);
  expect(await applyPatch(link, before, after)).toBe(`${file}.orig`);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['after\n', 0o640]);
  expect(readFileSync(`${file}.orig`)).toEqual(before);
});

test('leaves a file alone that is read-only or has changed', async () => {
  expect(await codeOf(file, Buffer.from('another'))).toBe('file-changed');
  chmodSync(file, 0o440);
  expect(await codeOf(file)).toBe('read-only');
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.orig`)]).toEqual(['before\n', false]);
});

test('runs nothing that the repository is configured to run, and looks behind its index', async () => {
  git('init', '-q');
  git('add', 'net.c');
  git('commit', '-qm', 'x');
  writeFileSync(join(folder, 'evil.sh'), `#!/bin/sh\ntouch '${join(folder, 'ran')}'\ncat\n`, { mode: 0o755 });
  writeFileSync(join(folder, '.git/info/attributes'), '*.c filter=evil\n');
  for (const setting of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge', 'core.sshCommand'])
    git('config', setting, join(folder, 'evil.sh'));
  expect(await applyPatch(file, before, after)).toBeUndefined();
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  execFileSync('git', ['-C', folder, '-c', 'core.fsmonitor=false', 'update-index', '--assume-unchanged', 'net.c']);
  expect(await applyPatch(file, after, before)).toBe(`${file}.orig`); // what git takes for unchanged it has not
});

test('needs no copy where git has the file, and one where it has not', async () => {
  git('init', '-q');
  git('add', 'net.c');
  expect(await applyPatch(file, before, before)).toBe(`${file}.orig`); // added, not committed
  git('commit', '-qm', 'x');
  rmSync(`${file}.orig`);
  writeFileSync(join(folder, 'other.c'), ''); // another file may be dirty
  expect(await applyPatch(file, before, after)).toBeUndefined();
  expect(await applyPatch(file, after, before)).toBe(`${file}.orig`); // dirty now
  writeFileSync(file, 'dirty');
  expect(await codeOf(file, Buffer.from('dirty'))).toBe('file-exists');
});

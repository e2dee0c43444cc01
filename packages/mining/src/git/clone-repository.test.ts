import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneRepository } from './clone-repository.js';

let root: string;
let server: Server;
let statusCode = 401;
let stall = false;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-clone-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: join(root, 'origin'), stdio: 'ignore' });
  mkdirSync(join(root, 'origin'));
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
  server = createServer((_, response) => {
    if (!stall) response.writeHead(statusCode, { 'www-authenticate': 'Basic realm="private"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});
const web = (user = ''): string => `http://${user}127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;

test('a clone is whole, bare and made once', async () => {
  const url = `file://${join(root, 'origin')}`;
  const folder = await cloneRepository(url, join(root, 'clones', 'one.git'));
  expect(execFileSync('git', ['--git-dir', folder, 'log', '--format=%s'], { encoding: 'utf8' })).toBe('one\n');
  expect(readdirSync(join(root, 'clones'))).toEqual(['one.git']);
  writeFileSync(join(folder, 'mark'), '');
  expect(await cloneRepository(url, join(root, 'clones', 'one.git'))).toBe(folder);
  expect(existsSync(join(folder, 'mark'))).toBe(true);
  await expect(cloneRepository(`${url}2`, folder)).rejects.toMatchObject({ code: 'clone-of-another-url' });
});

test('a server that wants a password is told apart, at once, and no password of the URL is shown', async () => {
  await expect(cloneRepository(web(), join(root, 'a'))).rejects.toMatchObject({ code: 'clone-needs-password' });
  const error = await cloneRepository(web('me:hunter2@'), join(root, 'a')).catch((e) => e);
  expect(error.code).toBe('clone-needs-password');
  expect(`${error.message} ${error.remedy} ${error.stack}`).not.toContain('hunter2');
});

test('a server that has no such repository, and one that never answers', async () => {
  statusCode = 404;
  await expect(cloneRepository(web('me:hunter2@'), join(root, 'b'))).rejects.toMatchObject({
    code: 'clone-failed',
    message: expect.not.stringContaining('hunter2'),
  });
  stall = true;
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300);
  await expect(cloneRepository(web(), join(root, 'c'), { signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
  });
  expect(readdirSync(root).filter((name) => name.includes('partial'))).toEqual([]);
});

test.each(['--upload-pack=touch x', 'ext::sh -c touch% x', 'fd::1', '', 'ftp://host/x', '-x'])(
  '%j is no URL',
  async (url) => {
    await expect(cloneRepository(url, join(root, 'd'))).rejects.toMatchObject({ code: 'invalid-url' });
  },
);

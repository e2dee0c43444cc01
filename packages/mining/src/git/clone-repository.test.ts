import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cloneRepository } from './clone-repository.js';

let root: string;
let server: Server;
let statusCode = 401;
let stall = false;
let redirect: string | undefined;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-clone-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: join(root, 'origin'), stdio: 'ignore' });
  mkdirSync(join(root, 'origin'));
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
  server = createServer((_, response) => {
    const headers = redirect ? { location: redirect } : { 'www-authenticate': 'Basic realm="private"' };
    if (!stall) response.writeHead(statusCode, headers).end();
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

describe('nothing that a repository, a server or a machine brings is run or followed', () => {
  test('no hook of a template or of the origin, no submodule', async () => {
    const origin = join(root, 'hostile');
    const mark = join(root, 'ran');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: origin, stdio: 'ignore' });
    const template = join(root, 'template');
    mkdirSync(join(template, 'hooks'), { recursive: true });
    mkdirSync(origin);
    git('init', '-q');
    writeFileSync(
      join(origin, '.gitmodules'),
      `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${mark}\n\tupdate = !touch ${mark}\n`,
    );
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},x`);
    git('add', '.gitmodules');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'one');
    for (const folder of [join(template, 'hooks'), join(origin, '.git', 'hooks')]) {
      for (const hook of ['reference-transaction', 'post-checkout', 'post-update', 'pre-auto-gc']) {
        writeFileSync(join(folder, hook), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
      }
    }
    git('config', 'uploadpack.packObjectsHook', `touch ${mark}; git pack-objects`);
    // the template's hook is a live danger: git itself runs it
    execFileSync('git', ['clone', '-q', '--mirror', `--template=${template}`, origin, join(root, 'control')]);
    expect(existsSync(mark)).toBe(true);
    rmSync(mark);

    vi.stubEnv('GIT_TEMPLATE_DIR', template);
    const folder = await cloneRepository(`file://${origin}`, join(root, 'harmless'));
    vi.unstubAllEnvs();
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(join(folder, 'hooks'))).toBe(false);
    expect(existsSync(join(folder, 'modules'))).toBe(false);
  });

  test('a redirection stays within the protocols of the URL', async () => {
    const asked: string[] = [];
    const note = (request: { url?: string | undefined }) => asked.push(request.url ?? '');
    server.on('request', note);
    stall = false;
    statusCode = 302;
    for (const location of [`file://${join(root, 'origin')}`, 'ext::sh', 'ftp://127.0.0.1/y', 'git://127.0.0.1:1/y']) {
      redirect = location;
      await expect(cloneRepository(web(), join(root, 'e'))).rejects.toMatchObject({ code: 'clone-failed' });
    }
    expect(asked.length).toBeGreaterThanOrEqual(4);
    server.off('request', note);
  });

  test('git is given one protocol, and the settings', async () => {
    const bin = join(root, 'bin');
    const log = join(root, 'calls');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nprintf '%s\\n' "$GIT_ALLOW_PROTOCOL|$GIT_CONFIG_GLOBAL|$*" >> '${log}'\nexit 1\n`,
      { mode: 0o755 },
    );
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    for (const url of ['https://host/x', 'http://host/x', 'ssh://host/x', 'GIT://host/x', 'file:///x', 'me@host:x']) {
      await cloneRepository(url, join(root, 'f')).catch(() => {});
    }
    vi.unstubAllEnvs();
    const calls = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.includes(' clone '));
    expect(calls.map((line) => line.split('|')[0])).toEqual(['https', 'http:https', 'ssh', 'git', 'file', 'ssh']);
    for (const call of calls) {
      expect(call).toContain('|/dev/null|');
      for (const wanted of [
        'core.hooksPath=/dev/null',
        'submodule.recurse=false',
        '--template=',
        '--no-recurse-submodules',
      ])
        expect(call).toContain(wanted);
    }
  });
});

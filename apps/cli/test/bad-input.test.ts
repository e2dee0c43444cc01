import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redef } from './harness.js';

let root: string;
let server: Server;
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args], {
    cwd: join(root, folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-bad-'));
  for (const folder of ['plain', 'empty', 'whole']) mkdirSync(join(root, folder));
  git('empty', 'init', '-q');
  git('whole', 'init', '-q');
  for (const n of [1, 2, 3]) {
    writeFileSync(join(root, 'whole', 'a.c'), `int f(void)\n{\n  return ${n};\n}\n`);
    git('whole', 'add', '-A');
    git('whole', 'commit', '-qm', `change ${n}`);
  }
  git('.', 'clone', '-q', '--depth', '1', `file://${join(root, 'whole')}`, 'shallow');
  git('.', 'clone', '-q', 'whole', 'broken');
  const tree = git('broken', 'rev-parse', 'HEAD~1^{commit}').trim();
  rmSync(join(root, 'broken', '.git', 'objects', tree.slice(0, 2), tree.slice(2)), { force: true });
  writeFileSync(join(root, 'file'), 'no folder');
  server = createServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

/** Every failure: its exit code, two lines, the second of them advice, and never a stack. */
async function failsWith(args: readonly string[], message: RegExp, code = 3): Promise<void> {
  const result = await redef(root, args);
  expect(result.stderr).toMatch(message);
  expect(result.stderr).toMatch(/^redef: .+\n {2}\S.+\n$/s);
  expect(result.stderr).not.toMatch(/^\s+at .+:\d+/m);
  expect(result.stderr).not.toMatch(/unexpected failure/);
  expect(result.code).toBe(code);
}

test.each<[string, RegExp]>([
  ['missing', /missing: no such folder/],
  ['file', /file: a file, not a folder/],
  ['plain', /plain: not a git repository/],
  ['empty', /empty: the repository has no commits/],
  ['shallow', /shallow: a shallow clone/],
])('mining %s', async (repository, message) => {
  await failsWith(['mine', repository, '--out', 'out'], message);
  await failsWith(['study', '--repo', repository, '--out', 'out'], message);
});

test('a repository whose history has a hole', async () => {
  await failsWith(['mine', 'broken', '--out', 'out'], /broken/);
});

test('a commit that is not there, and a name that git could take for an option', async () => {
  await failsWith(
    ['mine', 'whole', '--branch', 'no-such-branch', '--out', 'out'],
    /no commit is named "no-such-branch"/,
  );
  await failsWith(['mine', 'whole', '--branch=--output=x', '--out', 'out'], /not the name of a branch/);
});

test('a URL that needs a password fails at once and asks nothing', async () => {
  const { port } = server.address() as AddressInfo;
  await failsWith(['mine', `http://127.0.0.1:${port}/private.git`, '--out', 'out'], /password|credentials/i);
});

test('a history without reverts has no defective change: every cell fails, and the report says why', async () => {
  const { code, stderr } = await redef(root, ['study', '--repo', 'whole', '--out', 'none']);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^redef: 90 of 90 cells have no result, the first: linear, after-only, seed \d+: The training set is empty: .+\n {2}The report names them/m,
  );
});

test('JSONL cut in half, and a row of another version', async () => {
  mkdirSync(join(root, 'mined'), { recursive: true });
  mkdirSync(join(root, 'labels'), { recursive: true });
  writeFileSync(join(root, 'labels', 'labels.jsonl'), '');
  writeFileSync(join(root, 'mined', 'changes.jsonl'), '{"schema":"redef.change/1","id":"12');
  const split = ['split', '--mined', 'mined', '--labels', 'labels', '--out', 'split'];
  await failsWith(split, /changes\.jsonl:1: the last line is cut off/);
  writeFileSync(join(root, 'mined', 'changes.jsonl'), '\n{"schema":"redef.change/7"}\n');
  await failsWith(split, /changes\.jsonl:2: expected a redef\.change\/1 row, found "schema": "redef\.change\/7"/);
  await failsWith(
    ['split', '--mined', 'plain', '--labels', 'labels', '--out', 'split'],
    /plain: no changes\.jsonl in it/,
  );
});

test('an unwritable place', async () => {
  await failsWith(['mine', 'whole', '--out', 'file/out'], /a part of the path is a file/);
  await failsWith(['mine', 'whole', '--out', '/proc/redef'], /\/proc/);
});

test.each<[string[], RegExp]>([
  [['mine'], /required option '--out/],
  [['mine', '--out', 'x'], /name at least one repository/],
  [['frobnicate'], /unknown command/],
  [['study', '--seeds', 'many'], /expected seeds/],
  [['study', '--encodings', 'after-only,bogus'], /expected some of after-only/],
  [['encode', '--mined', 'a', '--split', 'b', '--out', 'c', '--encoding', 'bogus'], /Allowed choices/],
  [['study', '--max-tokens', '0'], /at least 1/],
  [['split', '--mined', 'a', '--labels', 'b', '--out', 'c', '--test-project', 'x'], /goes with --rule cross-project/],
])('wrong use %j is exit code 2', async (args, message) => {
  const { code, stderr, stdout } = await redef(root, args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});

test('a study with one repository twice, or a counterfactual without its encoding', async () => {
  await failsWith(
    ['study', '--repo', 'whole', '--repo', 'whole', '--out', 'x'],
    /repositories: expected no item twice, got .*whole.* again/,
    2,
  );
  await failsWith(
    ['study', '--encodings', 'after-only', '--counterfactuals', 'reversed-tags', '--out', 'x'],
    /reversed-tags distorts the encoding diff-tags/,
    2,
  );
});

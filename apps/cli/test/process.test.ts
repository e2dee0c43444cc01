import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeRecord } from './change-record.js';

const binary = fileURLToPath(new URL('../dist/redef.js', import.meta.url));
let root: string;
beforeAll(() => {
  if (!existsSync(binary)) throw new Error('build the app first: npm run build');
  root = mkdtempSync(join(tmpdir(), 'redef-process-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function start(args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, [binary, ...args], { cwd: root, stdio: ['ignore', stdout, 'pipe'] });
  let stderr = '';
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }));
  return { child, ended };
}

test.skipIf(!existsSync('/dev/full'))(
  'an output that the disk does not take is told, whatever the command',
  async () => {
    writeFileSync(join(root, 'ok.csv'), 'source,target\na,b\n');
    for (const args of [['audit-data', 'ok.csv', 'ok.csv'], ['--version'], ['triage', '--help']]) {
      const { code, stderr } = await start(args, openSync('/dev/full', 'w')).ended;
      expect([args, code, stderr]).toEqual([
        args,
        3,
        expect.stringMatching(/^redef: standard output: .+\n {2}\S.+\n$/m),
      ]);
    }
  },
);

test.each(['SIGHUP', 'SIGTERM', 'SIGINT'] as const)(
  '%s ends a run that leaves no half-written file',
  async (signal) => {
    let asked = (): void => {};
    const call = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = createServer(() => asked()); // and never answers
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    writeMined(join(root, 'mined'));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const run = start(['triage', '--mined', 'mined', '--out', signal, '--voter', `m@${url}`]);
    await call;
    expect(partials(signal).length).toBeGreaterThan(0);
    run.child.kill(signal);
    expect(await run.ended).toEqual({ code: 3, stderr: expect.stringContaining('stopped before it was done') });
    expect(partials(signal)).toEqual([]);
    server.closeAllConnections();
    server.close();
  },
);

const partials = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.partial$|lock-/.test(name),
  );

function writeMined(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const id = 'a'.repeat(40);
  writeFileSync(join(folder, 'changes.jsonl'), `${JSON.stringify(changeRecord(id))}\n`);
  writeFileSync(
    join(folder, 'evidence.jsonl'),
    `${JSON.stringify({ schema: 'redef.evidence/1', id, kind: 'clean', later_commits: [] })}\n`,
  );
}

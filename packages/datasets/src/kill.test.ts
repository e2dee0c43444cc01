import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../scripts/bundle.js';
import { readRows, writeRows } from './index.js';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redef-kill-'));
  program = await bundle(fileURLToPath(new URL('../test/write-child.ts', import.meta.url)), folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function collect(path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of readRows(path)) rows.push(row);
  return rows;
}

test.each(['csv', 'jsonl.gz', 'parquet'])(
  '.%s: what a killed writer leaves is no data, and the next writer of the file removes it',
  async (extension) => {
    const data = join(folder, extension);
    mkdirSync(data);
    const path = join(data, `part.${extension}`);
    await writeRows(path, [{ source: 'a' }, { source: 'b' }]);
    const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(data)).toHaveLength(2);
    expect(await collect(data)).toEqual([{ source: 'a' }, { source: 'b' }]);

    await writeRows(path, [{ source: 'c' }]);
    expect(readdirSync(data)).toEqual([`part.${extension}`]);
    expect(await collect(data)).toEqual([{ source: 'c' }]);
  },
);

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RedefError } from '@redef/core';
import { lock } from '@redef/core/files';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist');

/** The package as other processes load it, a worker for one; built anew, by one test file at a time, where the sources are newer. */
export async function builtPackage(): Promise<string> {
  mkdirSync(output, { recursive: true });
  for (;;) {
    const unlock = await lock(join(output, 'build')).catch((error: unknown) => {
      if (RedefError.isInstance(error) && error.code === 'in-use') return undefined;
      throw error;
    });
    if (!unlock) {
      await wait(100 + (process.pid % 100));
      continue;
    }
    try {
      if (isStale()) execFileSync('npx', ['tsup', '--no-dts', '--no-clean'], { cwd: root, stdio: 'ignore' });
      return join(output, 'index.js');
    } finally {
      await unlock();
    }
  }
}

function isStale(): boolean {
  const built = statSync(join(output, 'worker.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return readdirSync(join(root, 'src'), { recursive: true }).some(
    (name) => statSync(join(root, 'src', String(name))).mtimeMs > built,
  );
}

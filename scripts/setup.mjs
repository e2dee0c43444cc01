// Installs and builds the workspace on a machine that has only Node and npm: pnpm comes in the version that package.json
// pins, turbo from the install. No tool reports its use anywhere.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const steps = [
  ['npx', '-y', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'],
  ['npx', '--no-install', 'turbo', 'run', 'build', '--output-logs=errors-only'],
];
for (const [command, ...args] of steps) {
  const { status } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
}

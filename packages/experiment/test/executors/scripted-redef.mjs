// Stands in for `redef study cell FOLDER KEY` and `redef report FOLDER` in tests of how processes end: does what
// FOLDER/script.json says of the key, a step an attempt, the last step over and over. `done` writes what a run store takes
// for a finished cell; it is the step of keys that the script does not name.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , command, ...args] = process.argv;
const [folder, key] = command === 'report' ? [args[0], 'report'] : args.slice(1);
const at = (name) => join(folder, name);

const steps = JSON.parse(readFileSync(at('script.json'), 'utf8'))[key] ?? ['done'];
appendFileSync(at('attempts.log'), `${key}\n`);
const attempts = readFileSync(at('attempts.log'), 'utf8').split('\n');
const attempt = attempts.filter((line) => line === key).length;
await {
  done,
  hang: () => wait(() => false),
  deaf: () => process.on('SIGTERM', () => {}) && wait(() => false),
  'wait for go': () => wait(() => existsSync(at('go'))).then(done),
  crash: () => console.error('about to crash') ?? process.kill(process.pid, 'SIGKILL'),
  fail: () => console.error('no such file') ?? process.exit(3),
}[steps[Math.min(attempt, steps.length) - 1]]();

async function wait(isOver) {
  writeFileSync(at(`${key}.pid`), String(process.pid));
  while (!isOver()) await sleep(50);
}

function done() {
  const cell = at(`store/cells/${key}`);
  mkdirSync(cell, { recursive: true });
  const counts = { in: 0, kept: 0, dropped: {} };
  const manifest = {
    schema: 'redef.manifest/1',
    stage: 'cell',
    versions: {},
    config: {},
    inputs: {},
    outputs: {},
    counts,
  };
  writeFileSync(join(cell, 'manifest.json'), JSON.stringify(manifest));
}

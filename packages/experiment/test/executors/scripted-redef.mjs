// Stands in for `redef study cell FOLDER KEY` (and `redef report FOLDER`) in tests of how processes end: does what FOLDER/script.json says of the key,
// a step an attempt. `done` writes the result that a run store takes for a finished cell.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , command, ...args] = process.argv;
const [folder, key] = command === 'report' ? [args[0], 'report'] : args.slice(1);
const steps = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8'))[key] ?? ['done'];
const journal = join(folder, 'attempts.log');
appendFileSync(journal, `${key}\n`);
const attempt = readFileSync(journal, 'utf8')
  .split('\n')
  .filter((line) => line === key).length;
const step = steps[Math.min(attempt, steps.length) - 1];

if (step === 'hang' || step === 'deaf') {
  if (step === 'deaf') process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
  writeFileSync(join(folder, `${key}.pid`), String(process.pid));
} else if (step === 'orphan') {
  process.once('disconnect', () => writeFileSync(join(folder, 'disconnected'), ''));
  writeFileSync(join(folder, `${key}.pid`), String(process.pid));
} else if (step.startsWith('SIG')) {
  console.error('about to crash');
  process.kill(process.pid, step);
} else if (step === 'exit') {
  console.error('no such file');
  process.exitCode = 3;
} else {
  const cell = join(folder, 'store', 'cells', key);
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

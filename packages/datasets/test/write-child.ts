import { writeRows } from '../src/index.js';

/** Writes rows to the path given until it is killed. */
async function* rows() {
  for (let n = 0; ; n++) {
    yield { source: `${n}`.padEnd(1 << 16) };
    if (n % 100 === 0) await new Promise(setImmediate); // n is some megabytes by now
    if (n === 100) process.stdout.write('writing\n');
  }
}

await writeRows(process.argv[2]!, rows());

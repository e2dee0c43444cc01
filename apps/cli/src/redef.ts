#!/usr/bin/env node
import { createProgress } from './progress.js';
import { describeLostOutput, run } from './run.js';

const stop = new AbortController();
const onSignal = (): void => {
  if (stop.signal.aborted) process.exit(130); // a second Ctrl-C does not wait
  stop.abort();
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.on('SIGHUP', onSignal); // the terminal is gone, or the connection to it
process.on('disconnect', onSignal); // a cell's process ends with the one that started it
if (process.connected === false) onSignal(); // which may be before this one was loaded
process.channel?.unref();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // `redef ... | head` is no failure
  if (stop.signal.aborted) return; // it went with the terminal, and the run is ending by itself
  process.stderr.write(`redef: ${describeLostOutput(error)}\n`);
  process.exit(3);
});
process.stderr.on('error', () => {}); // there is nobody left to tell

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  redef: [process.execPath, process.argv[1]!],
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
  onProgress: createProgress(process.stderr, Date.now),
});

import { Readable, Writable } from 'node:stream';
import { run } from '../src/run.js';

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one command line in this process, with its own streams and folder. */
export async function redef(
  cwd: string,
  args: readonly string[],
  { signal, stdin = '', env = {} }: { signal?: AbortSignal; stdin?: string; env?: Record<string, string> } = {},
): Promise<CliRun> {
  const [stdout, stderr] = [collect(), collect()];
  const code = await run(args, {
    cwd,
    env,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: signal ?? new AbortController().signal,
    onProgress: () => {},
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

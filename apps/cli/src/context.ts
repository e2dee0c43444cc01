import type { ProgressEvent } from '@redef/core';

/** What a command may touch of the world outside. Only `redef.ts` makes one from the process; tests make their own. */
export interface CliContext {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: AsyncIterable<Uint8Array>;
  /** Data. */
  stdout: NodeJS.WritableStream;
  /** Progress and messages. */
  stderr: NodeJS.WritableStream;
  /** Program and arguments that start this command line in another process; absent where there is none, as in tests. */
  redef?: readonly string[];
  /** Fires on the first Ctrl-C. */
  signal: AbortSignal;
  /** Shows how far a stage is: a line that rewrites itself on a terminal, plain lines elsewhere. */
  onProgress: (event: ProgressEvent & { seconds_left?: number }) => void;
}

/** 0 done, 1 the gate says no, 2 wrong use, 3 a failed run that can go on. */
export const exitCodes = { done: 0, gate: 1, usage: 2, failed: 3 } as const;

/** Ends a command with exit code 1: it ran, and what it was asked to guard does not hold. */
export class GateError extends Error {}

export function print(cli: CliContext, text: string): void {
  cli.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import { CommanderError } from 'commander';
import { type CliContext, exitCodes, GateError } from './context.js';
import { createProgram } from './program.js';

/**
 * Runs one command line and gives its exit code. Every failure is told in two lines, what went wrong and what to try;
 * `REDEF_DEBUG=1` adds the stack.
 */
export async function run(args: readonly string[], cli: CliContext): Promise<number> {
  try {
    await createProgram(cli, await commandsOf(args)).parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const stack = cli.env.REDEF_DEBUG && error instanceof Error ? `${error.stack}\n` : '';
    if (error instanceof GateError) {
      cli.stderr.write(`redef: ${error.message}\n${stack}`);
      return exitCodes.gate;
    }
    if (RedefError.isInstance(error)) {
      cli.stderr.write(`redef: ${error.message}\n  ${error.remedy}\n${stack}`);
      if (error.code === 'detached') return exitCodes.done; // as was asked for
      return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
    }
    cli.stderr.write(
      `redef: unexpected failure: ${error instanceof Error ? error.message : String(error)}\n` +
        `  This is a fault of redef: run again with REDEF_DEBUG=1 and report what it prints.\n${stack}`,
    );
    return exitCodes.failed;
  }
}

/** What is told where standard output does not take what is written to it. */
export function describeLostOutput(error: Error): string {
  const known = fileError(error, 'standard output');
  return RedefError.isInstance(known)
    ? `${known.message}\n  ${known.remedy}`
    : `standard output could not be written: ${error.message}\n  Send it elsewhere, or to a file with room for it.`;
}

/** The process of one cell, of which a study starts hundreds, loads nothing else: that halves its start. */
async function commandsOf([first, second]: readonly string[]) {
  if (first === 'study' && second === 'cell') return [(await import('./commands/study-cell.js')).cellAlone];
  return (await import('./commands/index.js')).commands;
}

/** Errors that no rerun of the same command can mend. */
const usageCodes = new Set([
  'invalid-option',
  'invalid-argument',
  'missing-column',
  'unknown-level',
  'invalid-sets',
  'invalid-study',
  'would-overwrite',
]);

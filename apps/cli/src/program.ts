import { Command } from 'commander';
import { splitCommand } from './commands/split.js';
import type { CliContext } from './context.js';
import { version } from './version.js';

/** The whole command line; one short file a command under `commands/`. */
export function createProgram(cli: CliContext): Command {
  const program = new Command('redef')
    .description('Change-level defect prediction and vulnerability repair, from git history to report')
    .version(version)
    .showHelpAfterError('(run with --help for the options)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => cli.stdout.write(text), writeErr: (text) => cli.stderr.write(text) });

  for (const command of [splitCommand]) {
    program.addCommand(command(cli).exitOverride().copyInheritedSettings(program));
  }
  return program;
}

import { Command } from 'commander';
import type { CliContext } from './context.js';
import { version } from './version.js';

/** @param commands all of them are under `commands/`, one short file each */
export function createProgram(cli: CliContext, commands: readonly ((cli: CliContext) => Command)[]): Command {
  const program = new Command('redef')
    .description('Change-level defect prediction and vulnerability repair, from git history to report')
    .version(version)
    .showHelpAfterError('(run with --help for the options)')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => cli.stdout.write(text), writeErr: (text) => cli.stderr.write(text) });

  for (const command of commands) {
    program.addCommand(inherit(command(cli), program));
  }
  return program;
}

/** Commands and their sub-commands throw and write as the program does. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inherit(child, command);
  return command;
}

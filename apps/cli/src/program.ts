import { Command } from 'commander';
import { auditCommand } from './commands/audit.js';
import { auditDataCommand } from './commands/audit-data.js';
import { dedupCommand } from './commands/dedup.js';
import { encodeCommand } from './commands/encode.js';
import { mineCommand } from './commands/mine.js';
import { predictCommand } from './commands/predict.js';
import { repairCommand } from './commands/repair.js';
import { reportCommand } from './commands/report.js';
import { scoreCommand } from './commands/score.js';
import { splitCommand } from './commands/split.js';
import { studyCommand } from './commands/study.js';
import { trainCommand } from './commands/train.js';
import { triageCommand } from './commands/triage.js';
import type { CliContext } from './context.js';
import { version } from './version.js';

/** In the order of the help text: the chain first. */
const commands = [
  studyCommand,
  mineCommand,
  triageCommand,
  auditCommand,
  splitCommand,
  dedupCommand,
  encodeCommand,
  trainCommand,
  predictCommand,
  reportCommand,
  repairCommand,
  scoreCommand,
  auditDataCommand,
];

/** The whole command line; one short file a command under `commands/`. */
export function createProgram(cli: CliContext): Command {
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

import { resolve } from 'node:path';
import { type SplitRule, splitStage } from '@redef/experiment';
import { Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { collect } from '../options.js';
import { printStage } from '../print-stage.js';

interface Options {
  mined: string;
  labels: string;
  out: string;
  rule: SplitRule['rule'];
  testProject?: string[];
  json?: true;
}

export const splitCommand = (cli: CliContext): Command =>
  new Command('split')
    .description('split labelled changes by time, 80/10/10 per repository and class, or by another rule')
    .requiredOption('--mined <folder>', 'the output of redef mine')
    .requiredOption('--labels <folder>', 'the output of redef triage')
    .requiredOption('--out <folder>', 'where to write splits.jsonl')
    .addOption(
      new Option('--rule <name>', 'per-class as the paper has it, strict over both classes, or cross-project')
        .choices(['per-class', 'strict', 'cross-project'])
        .default('per-class'),
    )
    .option('--test-project <name>', 'of cross-project; repeatable', collect)
    .option('--json', 'print the manifest as JSON')
    .action(async ({ mined, labels, out, rule, testProject, json }: Options, command: Command) => {
      if (testProject && rule !== 'cross-project')
        command.error('error: --test-project goes with --rule cross-project');
      const at = (path: string): string => resolve(cli.cwd, path);
      const stage = await splitStage(
        {
          mined: at(mined),
          labels: at(labels),
          out: at(out),
          rule: rule === 'cross-project' ? { rule, testProjects: testProject ?? [] } : { rule },
        },
        { signal: cli.signal, onEvent: cli.onProgress },
      );
      printStage(cli, stage, json);
    });

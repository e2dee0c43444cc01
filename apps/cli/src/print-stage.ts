import { relative } from 'node:path';
import type { StageResult } from '@redef/experiment';
import { type CliContext, print } from './context.js';

/** What a stage did, in two or three lines. */
export function describeStage({ folder, manifest, skipped }: StageResult, cwd = ''): string {
  const { in: read, kept, dropped } = manifest.counts;
  const reasons = Object.entries(dropped).map(([reason, count]) => `${reason} ${count}`);
  return [
    `${manifest.stage}: ${kept} of ${read} kept${skipped ? ' (up to date, nothing to do)' : ''}`,
    ...(reasons.length > 0 ? [`  left out: ${reasons.join(', ')}`] : []),
    `  ${cwd ? relative(cwd, folder) || '.' : folder}`,
  ].join('\n');
}

/** Tells what a stage did: a few lines for people, its manifest for machines. */
export function printStage(cli: CliContext, stage: StageResult, json = false): void {
  print(cli, json ? JSON.stringify(stage.manifest, null, 2) : describeStage(stage, cli.cwd));
}

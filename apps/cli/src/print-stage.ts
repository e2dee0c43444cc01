import type { StageResult } from '@redef/experiment';
import { type CliContext, print } from './context.js';

/** Tells what a stage did: a few lines for people, its manifest for machines. */
export function printStage(cli: CliContext, { folder, manifest, skipped }: StageResult, json = false): void {
  if (json) {
    print(cli, JSON.stringify(manifest, null, 2));
    return;
  }
  const { in: read, kept, dropped } = manifest.counts;
  const reasons = Object.entries(dropped).map(([reason, count]) => `${reason} ${count}`);
  print(
    cli,
    [
      `${manifest.stage}: ${kept} of ${read} kept${skipped ? ' (up to date, nothing to do)' : ''}`,
      ...(reasons.length > 0 ? [`  dropped: ${reasons.join(', ')}`] : []),
      `  ${folder}`,
    ].join('\n'),
  );
}

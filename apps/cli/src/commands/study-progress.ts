import { cellTitle, type StudyEvent } from '@redef/experiment';
import type { CliContext } from '../context.js';

type CellStudyEvent = Extract<StudyEvent, { type: 'cell' }>;

/** Shows how far the cells of a study are, with the time left as the cells that were run so far foretell it. */
export function createCellProgress(
  cli: Pick<CliContext, 'stderr' | 'onProgress'>,
  now: () => number,
): (event: CellStudyEvent) => void {
  let startedMs: number | undefined;
  let ran = 0;
  return ({ event, cell, done, failed, total }) => {
    startedMs ??= now();
    if (event.type === 'started') return;
    if (event.type === 'failed' && event.failure.code !== 'cell-not-ready') {
      const { code, message } = event.failure;
      cli.stderr.write(`failed: ${cellTitle(cell)}: ${code}: ${message}\n`);
    }
    if (event.type === 'failed' || !event.reused) ran++;
    const secondsEach = (now() - startedMs) / 1000 / ran;
    cli.onProgress({
      type: 'progress',
      stage: failed > 0 ? `cells, ${failed} failed` : 'cells',
      done: done + failed,
      total,
      unit: 'cells',
      ...(ran > 0 && { seconds_left: secondsEach * (total - done - failed) }),
    });
  };
}

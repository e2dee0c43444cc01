import { type Cell, cellTitle, type StudyEvent } from '@redef/experiment';
import type { CliContext } from '../context.js';

/** Cells of one kind take about as long as each other: those of a model that train, or that use what another trained. */
interface Kind {
  left: number;
  ran: number;
  ranMs: number;
}

const kindOf = ({ model, uses }: Cell): string => `${uses === undefined} ${model}`;

/** Shows how far the cells of a study are, with the time left that the cells of each kind so far foretell. */
export function createCellProgress(
  cli: Pick<CliContext, 'stderr' | 'onProgress'>,
  now: () => number,
): (event: Extract<StudyEvent, { type: 'planned' | 'cell' }>) => void {
  const kinds = new Map<string, Kind>();
  const startedMs = new Map<string, number>();

  const secondsLeft = (): number | undefined => {
    const all = [...kinds.values()];
    const ran = all.reduce((sum, kind) => sum + kind.ran, 0);
    if (ran === 0) return undefined;
    const mean = all.reduce((sum, kind) => sum + kind.ranMs, 0) / ran;
    const leftMs = all.reduce((sum, kind) => sum + kind.left * (kind.ran > 0 ? kind.ranMs / kind.ran : mean), 0);
    return leftMs / Math.max(1, startedMs.size) / 1000;
  };

  return (event) => {
    if (event.type === 'planned') {
      for (const cell of event.cells) {
        const kind = kinds.get(kindOf(cell)) ?? { left: 0, ran: 0, ranMs: 0 };
        kinds.set(kindOf(cell), { ...kind, left: kind.left + 1 });
      }
      return;
    }
    const { cell, done, failed, total } = event;
    if (event.event.type === 'started') {
      startedMs.set(cell.key, now());
      return;
    }
    const kind = kinds.get(kindOf(cell))!;
    kind.left--;
    const begun = startedMs.get(cell.key);
    if (begun !== undefined && !(event.event.type === 'done' && event.event.reused)) {
      kind.ran++;
      kind.ranMs += now() - begun;
    }
    if (event.event.type === 'failed' && event.event.failure.code !== 'cell-not-ready') {
      const { code, message } = event.event.failure;
      cli.stderr.write(`failed: ${cellTitle(cell)}: ${code}: ${message}\n`);
    }
    const seconds = secondsLeft(); // while this cell still counts as one of those under way
    startedMs.delete(cell.key);
    cli.onProgress({
      type: 'progress',
      stage: failed > 0 ? `cells, ${failed} failed` : 'cells',
      done: done + failed,
      total,
      unit: 'cells',
      ...(seconds !== undefined && { seconds_left: seconds }),
    });
  };
}

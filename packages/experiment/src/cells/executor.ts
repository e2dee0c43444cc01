import { type ProgressEvent, RedefError } from '@redef/core';
import type { Cell } from './cell.js';
import { type CellOutcome, type RunCellOptions, runCell } from './run-cell.js';
import type { CellFailure, RunStore } from './run-store.js';

export type CellEvent =
  | { type: 'started'; key: string }
  /** `reused`: the store had it already. */
  | { type: 'done'; key: string; reused: boolean }
  | { type: 'failed'; key: string; failure: CellFailure };

/** What an executor is given besides the cells. */
export interface ExecutorRun {
  /** The study's folder: another process finds each cell there by its key (`redef study cell FOLDER KEY`). */
  folder: string;
  store: RunStore;
  signal?: AbortSignal;
  /** How far the cell at hand is, where the executor can tell. */
  onProgress?: (event: ProgressEvent) => void;
}

/** A way to get cells run: here, by processes of this machine, by a cluster. */
export interface Executor {
  id: string;
  /**
   * Runs every cell, those that `uses` another after that one, and tells of each as it ends; one that fails does not end
   * the rest. Cells that are done in the store already are told as reused. Ends when all are through, or throws `aborted`.
   */
  submit(cells: readonly Cell[], run: ExecutorRun): AsyncIterable<CellEvent>;
}

/** One cell after the other, in this process. */
export function createSequentialExecutor(options: Pick<RunCellOptions, 'engines' | 'apiKey'> = {}): Executor {
  return {
    id: 'sequential',
    async *submit(cells, { store, signal, onProgress }) {
      for (const cell of inOrder(cells)) {
        yield { type: 'started', key: cell.key };
        const outcome = await runCell(cell, store, {
          ...options,
          ...(signal && { signal }),
          ...(onProgress && { onEvent: onProgress }),
        });
        yield eventOf(cell.key, outcome);
      }
    },
  };
}

export function eventOf(key: string, outcome: CellOutcome): CellEvent {
  return outcome.status === 'done'
    ? { type: 'done', key, reused: outcome.reused }
    : { type: 'failed', key, failure: outcome.failure };
}

/** Cells that train before those that use their models; each part in the order given. */
export function inOrder(cells: readonly Cell[]): Cell[] {
  const keys = new Set(cells.map(({ key }) => key));
  const orphan = cells.find(({ uses }) => uses !== undefined && !keys.has(uses));
  if (orphan) {
    throw new RedefError(`the cell ${orphan.key} uses the model of ${orphan.uses}, which is not among the cells`, {
      code: 'invalid-plan',
      remedy: 'Give an executor all cells of a plan.',
    });
  }
  return [...cells.filter(({ uses }) => uses === undefined), ...cells.filter(({ uses }) => uses !== undefined)];
}

import { cellTitle, shownName } from './cells/cell.js';
import { type CellFailure, cellState } from './cells/run-store.js';
import type { StudyFolder } from './study-folder.js';
import { readPlan, storeOf } from './study-plan.js';

/** How many cells are in which state. */
export interface CellCounts {
  total: number;
  done: number;
  failed: number;
  running: number;
}

export interface StudyStatus extends CellCounts {
  schema: 'redef.study-status/1';
  /** By model and way of showing, in the order of the report. */
  groups: (CellCounts & { model: string; shown: string })[];
  failures: { title: string; failure: CellFailure }[];
  /**
   * From the mean time of each model's cells that are done, divided by the cells that are running; `null` where a model
   * that has cells left has none done yet.
   */
  secondsLeft: number | null;
}

/**
 * How far a study is, from its plan and its store: whoever runs it, and wherever.
 *
 * @throws `RedefError` `file-missing` where nothing is planned yet
 */
export async function studyStatus(study: StudyFolder): Promise<StudyStatus> {
  const plan = await readPlan(study);
  const store = storeOf(study, plan);
  const groups = new Map<string, StudyStatus['groups'][number]>();
  const failures: StudyStatus['failures'] = [];
  const times = new Map<string, { seconds: number; done: number; left: number }>();
  for (const cell of plan.cells) {
    const { model, key } = cell;
    const shown = shownName(cell);
    const found = await cellState(store, key);
    const name = JSON.stringify([model, shown]);
    const group = groups.get(name) ?? { model, shown, total: 0, done: 0, failed: 0, running: 0 };
    groups.set(name, group);
    const time = times.get(trainingKind(cell)) ?? { seconds: 0, done: 0, left: 0 };
    times.set(trainingKind(cell), time);
    group.total++;
    if (found.state === 'done') {
      group.done++;
      time.done++;
      time.seconds += found.seconds;
    } else time.left++;
    if (found.state === 'claimed') group.running++;
    if (found.state === 'failed') {
      group.failed++;
      failures.push({ title: cellTitle(cell), failure: found.failure });
    }
  }
  const sum = (name: keyof CellCounts): number => [...groups.values()].reduce((total, group) => total + group[name], 0);
  const kinds = [...times.values()].filter(({ left }) => left > 0);
  const seconds = kinds.reduce((total, time) => total + (time.seconds / time.done) * time.left, 0);
  return {
    schema: 'redef.study-status/1',
    total: sum('total'),
    done: sum('done'),
    failed: sum('failed'),
    running: sum('running'),
    groups: [...groups.values()],
    failures,
    secondsLeft: kinds.some(({ done }) => done === 0) ? null : seconds / Math.max(1, sum('running')),
  };
}

/** Cells that train take longer than those that use a model. */
const trainingKind = ({ model, uses }: { model: string; uses?: string }): string => `${uses === undefined} ${model}`;

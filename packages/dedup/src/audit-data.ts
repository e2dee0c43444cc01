import type { RunOptions } from '@redef/core';
import { ContradictionTracker, type LabelContradictions } from './contradictions.js';
import { digestWords } from './digest-table.js';
import { checkColumns, inferLayout, type Layout, type LayoutOptions } from './layout.js';
import { type LevelAudit, LevelCounter } from './level-counts.js';
import { defaultLevels, type LevelOption, levelName } from './levels.js';
import { RowKeys } from './row-keys.js';
import { type DataSets, numberedRows, type Row, setNames } from './rows.js';
import { tagOf } from './strip.js';

export interface AuditDataOptions extends RunOptions {
  /** Columns whose values make two rows the same; default by {@link inferLayout}. */
  key?: readonly string[];
  /** Which columns hold code, repaired code and labels; default by {@link inferLayout}. */
  layout?: LayoutOptions;
  /** Rows of the table. `exact` and `tag-stripped` are always among them. */
  levels?: readonly LevelOption[];
}

/** What an audit found. The exact level stands at the top; every level, `exact` included, stands in `levels`. */
export interface DataAudit extends LevelAudit {
  schema: 'redef.data-audit/1';
  layout: Layout;
  tagStripped: LevelAudit;
  /** Codes (the key without its CWE tag) that stand under several tags or labels. */
  contradictions: number;
  contradictionsBy: LabelContradictions[];
  levels: (LevelAudit & { level: string })[];
  /** Rows of the last set whose key stands in an earlier set too, by level: the leaked ones. */
  leakedRows: Record<string, number[]>;
}

const progressEvery = 10_000;

/**
 * Audits sets of rows for duplicates within and across them and for contradictory labels (R+R, sections 2.1, 2.2, 3.1).
 * Reads each set once, in the given order, the evaluated set last, and keeps some 100 bytes a distinct row whatever the
 * length of its texts.
 *
 * @throws `RedefError` `invalid-sets`, `invalid-row`, `missing-column`, `unknown-level`, `aborted`
 */
export async function auditData(sets: DataSets, options: AuditDataOptions = {}): Promise<DataAudit> {
  const names = setNames(sets);
  const levels = withRequired(options.levels ?? defaultLevels);
  const levelNames = levels.map(levelName);
  const counters = levels.map(() => new LevelCounter(names));
  const leaked = levels.map((): number[] => []);
  const codeLevel = levelNames.indexOf('tag-stripped');
  const codes = counters[codeLevel]!.table;
  let layout: Layout | undefined;
  let keys: RowKeys | undefined;
  const tags = new ContradictionTracker('CWE tag', names);
  const labels: ContradictionTracker[] = [];

  for (const [set, name] of names.entries()) {
    let done = 0;
    for await (const { row, value } of numberedRows(name, sets[name]!, options.signal)) {
      if (!layout || !keys) {
        layout = inferLayout(value, { ...options.layout, ...(options.key && { key: options.key }) });
        keys = new RowKeys(layout.key, levels);
        labels.push(...layout.labels.map((label) => new ContradictionTracker(label, names)));
      }
      if (row === 0) checkColumns(name, value, layout.key);
      keys.write(value);
      for (const [level, counter] of counters.entries()) {
        const before = counter.add(set, keys.digests, level * digestWords);
        if (set === names.length - 1 && (before & ~(1 << set)) !== 0) leaked[level]!.push(row);
        if (level !== codeLevel) continue;
        const code = codes.add(keys.digests, level * digestWords);
        const tag = tagOf(layout.code === undefined ? undefined : value[layout.code]);
        if (tag !== undefined) tags.add(code, tag, set, row);
        for (const tracker of labels) {
          const label = labelOf(value, tracker.by);
          if (label !== undefined) tracker.add(code, label, set, row);
        }
      }
      done = row + 1;
      if (done % progressEvery === 0) options.onEvent?.({ type: 'progress', stage: name, done, unit: 'rows' });
    }
    options.onEvent?.({ type: 'progress', stage: name, done, total: done, unit: 'rows' });
  }

  const results = counters.map((counter, index) => ({ level: levelNames[index]!, ...counter.result() }));
  const { level: _exact, ...exact } = results[levelNames.indexOf('exact')]!;
  const { level: _tagStripped, ...tagStripped } = results[codeLevel]!;
  const trackers = [tags, ...labels];
  let contradictions = 0;
  for (let code = 0; code < codes.size; code++) if (trackers.some((tracker) => tracker.differs(code))) contradictions++;
  return {
    schema: 'redef.data-audit/1',
    layout: layout ?? { key: options.key ?? [], labels: [] },
    ...exact,
    tagStripped,
    contradictions,
    contradictionsBy: trackers.map((tracker) => tracker.result(codes.size)),
    levels: results,
    leakedRows: Object.fromEntries(levelNames.map((name, index) => [name, leaked[index]!])),
  };
}

function withRequired(levels: readonly LevelOption[]): LevelOption[] {
  const named = new Map<string, LevelOption>([
    ['exact', 'exact'],
    ['tag-stripped', 'tag-stripped'],
  ]);
  for (const level of levels) named.set(levelName(level), level);
  return [...named.values()];
}

function labelOf(row: Row, column: string): string | undefined {
  const value = row[column];
  if (value === null || value === undefined || value === '') return undefined;
  return String(value).slice(0, 200);
}

import { type RunOptions, requireOption } from '@redef/core';
import { requireColumns, requireSwitch } from './checks.js';
import type { NearDuplicateOptions, NearDuplicates } from './clones.js';
import { ColumnCheck } from './column-check.js';
import { ContradictionTracker, type LabelContradictions } from './contradictions.js';
import { digestWords, Uint32List } from './digest-table.js';
import { KeyNumbers } from './key-numbers.js';
import { inferLayout, type Layout, type LayoutOptions, namedColumns, requireLayout } from './layout.js';
import { type GroupLeaks, GroupTracker } from './leaks.js';
import { type LevelAudit, LevelCounter } from './level-counts.js';
import { defaultLevels, type LevelOption, levelName } from './levels.js';
import { NearDuplicateFinder } from './near-duplicate-finder.js';
import { QualityChecker, type SetQuality } from './quality.js';
import { RowIds } from './row-ids.js';
import { RowKeys } from './row-keys.js';
import { type Row, rowError, setNames } from './rows.js';
import { TagReader } from './strip.js';
import { type TimeOrder, TimeTracker, timeOf } from './time-order.js';
import { withIds } from './with-ids.js';

/** Leaks that no comparison of texts shows; each is absent where the rows have no such column. */
export interface HiddenLeaks {
  /** One commit in two sets: its changes share a cause, a message and a moment. */
  commits?: GroupLeaks;
  /** One function in two sets, at another version. */
  functions?: GroupLeaks;
  /** The order in time of the sets: overall, and within each group where the layout names one. */
  time?: TimeOrder[];
  /** Rows whose date could not be read. */
  undated?: number;
}

/** What an audit found. The exact level stands at the top; every level, `exact` included, stands in `levels`. */
export interface DataAudit extends LevelAudit {
  schema: 'redef.data-audit/1';
  layout: Layout;
  tagStripped: LevelAudit;
  /** Codes (the key without its CWE tag and label columns) that stand under several tags or labels. */
  contradictions: number;
  contradictionsBy: LabelContradictions[];
  levels: (LevelAudit & { level: string })[];
  leaks: HiddenLeaks;
  quality: Record<string, SetQuality>;
  /** Renamed and near duplicates, where they were asked for. */
  near?: NearDuplicates;
  /** Rows of the last set whose key stands in another set too, by level: the leaked ones. Those of `near` are by cluster. */
  leakedRows: Record<string, number[]>;
  /** The same rows by their `id`, where the rows have one. */
  leakedIds?: Record<string, string[]>;
}

export interface AuditorOptions {
  /** Columns whose values make two rows the same; default by {@link inferLayout}. */
  key?: readonly string[];
  /** Which columns hold code, labels, commits, dates; default by {@link inferLayout}. */
  layout?: LayoutOptions;
  /** Rows of the table. `exact` and `tag-stripped` are always among them. */
  levels?: readonly LevelOption[];
  /** False leaves out the checks of each row as such. Default true. */
  quality?: boolean;
  /** Looks for renamed and near duplicates too, which takes several times as long and keeps the tokens of each text. Default false. */
  near?: boolean | NearDuplicateOptions;
}

/** Takes rows in, in any order of sets, and gives the audit at the end. Keeps some 200 bytes a row, whatever the length of its texts. */
export class Auditor {
  readonly #names: readonly string[];
  readonly #options: AuditorOptions;
  readonly #levels: LevelOption[];
  readonly #levelNames: string[];
  readonly #counters: LevelCounter[];
  readonly #codeLevel: number;
  /** Key number by level of each row of the last set. */
  readonly #lastKeys: Uint32List[];
  #lastRows = 0;
  readonly #ids: RowIds;
  #parts: ReturnType<typeof startParts> | undefined;
  readonly #near: NearDuplicateFinder | undefined;
  readonly #tagReader = new TagReader();
  #undated = 0;

  constructor(names: readonly string[], options: AuditorOptions = {}) {
    const { key, layout, levels, quality, near } = options;
    this.#names = setNames(names);
    requireColumns('key', key);
    if (layout !== undefined) requireLayout(layout);
    requireOption('levels', levels, levels === undefined || Array.isArray(levels), 'a list of levels');
    requireSwitch('quality', quality);
    if (typeof near !== 'object') requireSwitch('near', near);
    this.#ids = new RowIds(names.length);
    this.#options = options;
    this.#levels = withRequired(levels ?? defaultLevels);
    this.#levelNames = this.#levels.map(levelName);
    this.#counters = this.#levels.map(() => new LevelCounter(names));
    if (near) this.#near = new NearDuplicateFinder(names, nearOptions(options));
    this.#codeLevel = this.#levelNames.indexOf('tag-stripped');
    this.#lastKeys = this.#levels.map(() => new Uint32List());
  }

  /** @param row its 0-based position in its set; rows of a set come in order */
  add(set: number, row: number, value: Row): void {
    this.#parts ??= startParts(this.#names, this.#levels, value, this.#options);
    const { columns, keys, codes, quality } = this.#parts;
    columns.check(this.#names[set]!, row, value);
    try {
      keys.write(value);
    } catch (error) {
      throw rowError(this.#names[set]!, row, error);
    }
    for (let level = 0; level < this.#counters.length; level++) {
      const key = this.#counters[level]!.add(set, keys.digests, level * digestWords);
      if (set === this.#names.length - 1) this.#lastKeys[level]!.set(row, key);
      if (level === this.#codeLevel) this.#addLabels(codes?.add(this.#names[set]!, row, value) ?? key, set, row, value);
    }
    if (set === this.#names.length - 1) this.#lastRows = row + 1;
    this.#ids.add(set, row, value.id);
    this.#addOrigins(set, row, value);
    quality?.[set]?.add(row, value);
    this.#near?.add(set, row, value);
  }

  async result(run: RunOptions = {}): Promise<DataAudit> {
    const results = this.#counters.map((counter, index) => ({ level: this.#levelNames[index]!, ...counter.result() }));
    const { level: _exact, ...exact } = results[this.#levelNames.indexOf('exact')]!;
    const { level: _tagStripped, ...tagStripped } = results[this.#codeLevel]!;
    const codes = this.#parts?.codes?.size ?? this.#counters[this.#codeLevel]!.table.size;
    const trackers = this.#parts ? [this.#parts.tags, ...this.#parts.labels] : [];
    let contradictions = 0;
    for (let code = 0; code < codes; code++) if (trackers.some((tracker) => tracker.differs(code))) contradictions++;
    const { quality } = this.#parts ?? {};
    const near = await this.#near?.result(run);
    const leakedRows: Record<string, number[]> = Object.fromEntries(
      this.#levelNames.map((name, level) => [name, this.#leakedRows(level)]),
    );
    if (near) leakedRows.near = near.leak.leakedRows;
    const audit: DataAudit = {
      schema: 'redef.data-audit/1',
      layout: this.#parts?.layout ?? { key: this.#options.key ?? [], labels: [], within: [] },
      ...exact,
      tagStripped,
      contradictions,
      contradictionsBy: trackers.map((tracker) => tracker.result(codes)),
      levels: results,
      leaks: this.#leaks(),
      quality: quality ? Object.fromEntries(this.#names.map((name, set) => [name, quality[set]!.result()])) : {},
      ...(near && { near }),
      leakedRows,
    };
    return withIds(audit, this.#ids);
  }

  #addLabels(code: number, set: number, row: number, value: Row): void {
    const { layout, tags, labels } = this.#parts!;
    const text = layout.code === undefined ? undefined : value[layout.code];
    const tag = typeof text === 'string' ? this.#tagReader.read(text)?.tag : undefined;
    if (tag !== undefined) tags.add(code, tag, set, row);
    for (const tracker of labels) {
      const label = labelOf(value[tracker.by]);
      if (label !== undefined) tracker.add(code, label, set, row);
    }
  }

  #addOrigins(set: number, row: number, value: Row): void {
    const { layout, commits, functions, times, groups } = this.#parts!;
    const project = layout.project === undefined ? '' : String(value[layout.project] ?? '');
    if (commits && hasValue(value[layout.commit!])) commits.add(set, row, [project, String(value[layout.commit!])]);
    if (functions && layout.function!.every((column) => hasValue(value[column]))) {
      functions.add(set, row, [project, ...layout.function!.map((column) => String(value[column]))]);
    }
    if (!times) return;
    const time = timeOf(value[layout.time!]);
    if (time === undefined) {
      this.#undated++;
      return;
    }
    times.overall.add(set, row, 0, time);
    if (groups && times.within) {
      const group = layout.within.map((column) => String(value[column] ?? ''));
      times.within.add(set, row, groups.add(set, row, group), time);
    }
  }

  #leaks(): HiddenLeaks {
    if (!this.#parts) return {};
    const { layout, commits, functions, times, groups } = this.#parts;
    return {
      ...(commits && { commits: commits.result() }),
      ...(functions && { functions: functions.result() }),
      ...(times && {
        time: [
          times.overall.result([], 1),
          ...(times.within && groups ? [times.within.result(layout.within, groups.size)] : []),
        ],
        undated: this.#undated,
      }),
    };
  }

  #leakedRows(level: number): number[] {
    const own = 1 << (this.#names.length - 1);
    const { masks } = this.#counters[level]!;
    const keys = this.#lastKeys[level]!;
    const leaked: number[] = [];
    for (let row = 0; row < this.#lastRows; row++) if ((masks.get(keys.get(row)) & ~own) !== 0) leaked.push(row);
    return leaked;
  }
}

function startParts(names: readonly string[], levels: readonly LevelOption[], first: Row, options: AuditorOptions) {
  const layout = inferLayout(first, { ...options.layout, ...(options.key && { key: options.key }) });
  const timed = layout.time !== undefined;
  const code = layout.key.filter((column) => !layout.labels.includes(column));
  return {
    layout,
    /** The key without its labels, where it has any: contradictions are looked for over that. */
    codes: code.length < layout.key.length && code.length > 0 ? new KeyNumbers('tag-stripped', code) : undefined,
    columns: new ColumnCheck(layout.key, namedColumns(options.layout ?? {})),
    keys: new RowKeys(layout.key, levels),
    tags: new ContradictionTracker('CWE tag', names),
    labels: layout.labels.map((by) => new ContradictionTracker(by, names)),
    commits: layout.commit === undefined ? undefined : new GroupTracker(names),
    functions: layout.function === undefined ? undefined : new GroupTracker(names),
    groups: timed && layout.within.length > 0 ? new GroupTracker(names) : undefined,
    times: timed
      ? { overall: new TimeTracker(names), within: layout.within.length > 0 ? new TimeTracker(names) : undefined }
      : undefined,
    quality: options.quality === false ? undefined : names.map(() => new QualityChecker(layout)),
  };
}

function nearOptions({ near, layout }: AuditorOptions): NearDuplicateOptions {
  const options = typeof near === 'object' ? near : {};
  const column = options.column ?? layout?.code;
  return column === undefined ? options : { ...options, column };
}

function withRequired(levels: readonly LevelOption[]): LevelOption[] {
  const named = new Map<string, LevelOption>([
    ['exact', 'exact'],
    ['tag-stripped', 'tag-stripped'],
  ]);
  for (const level of levels) named.set(levelName(level), level);
  return [...named.values()];
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

function labelOf(value: unknown): string | undefined {
  return hasValue(value) ? String(value).slice(0, 200) : undefined;
}

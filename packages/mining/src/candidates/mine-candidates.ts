import { Counter, type RunOptions, throwIfAborted } from '@redef/core';
import { scannerName } from '../changes/extract-change.js';
import { BlobReader } from '../git/blob-reader.js';
import { objectKinds } from '../git/object-kinds.js';
import { openRepository, resolveRange } from '../git/repository.js';
import { openHistoryIndex } from '../history/history-index.js';
import { commitFlag, type History, loadHistory, readVerdicts } from '../history/load-history.js';
import { verdictKind } from '../history/verdicts.js';
import {
  defaultExtensions,
  defaultProblemWords,
  invalid,
  type MineOptions,
  resolveFilter,
  wholeNumber,
} from '../options.js';
import { linkReverts, type RevertLinks } from '../reverts/link-reverts.js';
import { chooseCandidates } from './choose.js';
import { emitRows, type MinedRow } from './emit-rows.js';
import { Screen } from './screen.js';
import { addCounts, type MiningSummary } from './summary.js';

/**
 * Mines the candidates of both classes from a whole history (ReDef, section 3.1): changes that a later commit reverts,
 * and changes near them in time that stood the test of later commits. Each comes with its evidence; what was looked at
 * and left out comes as a reject. Rows are in the order of the history and depend on nothing but the repository and the
 * options.
 *
 * @returns the counts of each stage, once all rows are read
 * @throws `RedefError` what `openRepository` and `resolveCommit` throw; `invalid-option`, `invalid-index`, `git-failed`, `aborted`
 */
export async function* mineCandidates(
  path: string,
  options: MineOptions & RunOptions = {},
): AsyncGenerator<MinedRow, MiningSummary, undefined> {
  const { signal, onEvent } = options;
  const choosing = {
    label: labelRule(options.label ?? 'loose'),
    keepRelanded: options.keepRelanded ?? false,
    ratio: positive('ratio', options.ratio ?? 2),
    windowDays: positive('windowDays', options.windowDays ?? 180),
    allClean: options.allClean ?? false,
    seed: options.seed ?? 0,
  };
  const workers = wholeNumber('workers', options.workers ?? 0, 0);
  const repository = await openRepository(path);
  const filter = resolveFilter(options, repository.name);
  const { head, exclude } = await resolveRange(repository, options);

  const { allRejects = false, extensions = defaultExtensions, ignorePaths = [], maxFileBytes } = options;
  const read = { extensions, ignorePaths, ...(maxFileBytes === undefined ? {} : { maxFileBytes }) };
  const index = await openHistoryIndex({
    repository,
    head,
    folder: options.index,
    filter: resolveFilter(read, repository.name),
    config: { ...read, maxFileBytes: filter.maxFileBytes, extractor: scannerName, layout: 3 },
    workers,
    signal,
    onEvent,
  });
  let history: History | undefined;
  try {
    history = await loadHistory(index, {
      problemWords: options.problemWords ?? defaultProblemWords,
      acceptsCommit: filter.acceptsCommit,
      signal,
    });
    const { verdicts, table } = history;
    const inRange = rangeTest(history, exclude);
    const inFilter = (commit: number): boolean =>
      (table.flags[commit]! & commitFlag.authorAccepted) !== 0 &&
      inRange(commit) &&
      (verdicts.kind[commit] === verdictKind.none || filter.accepts(verdicts.path(commit)));
    const screen = new Screen(history, wholeNumber('laterCommits', options.laterCommits ?? 5, 1));
    let [touches, singleFunction] = [0, 0];
    for await (const bucket of readVerdicts(history)) {
      touches += bucket.touches;
      for (const change of bucket.changes) {
        if (!inFilter(change.commit)) continue;
        throwIfAborted(signal);
        singleFunction++;
        await screen.judge(change);
      }
    }
    let singleFile = 0;
    for (let commit = 0; commit < table.count; commit++)
      if (verdicts.kind[commit] !== verdictKind.none && inFilter(commit)) singleFile++;

    const links = await linkReverts(history, (hashes) => objectKinds(repository.gitDirectory, hashes));
    const isEligible = (commit: number): boolean => verdicts.isSingle(commit) && inFilter(commit);
    const choice = chooseCandidates(history, links, screen, isEligible, choosing);

    const counts = { rejects: new Counter(), confidence: new Counter(), history: new Counter() };
    for (const segment of index.state.segments) addCounts(counts.history, segment.counts);
    const reader = new BlobReader(repository.gitDirectory, filter.maxFileBytes);
    let [defective, clean] = [0, 0];
    try {
      const emission = { history, links, choice, screen, inFilter, filter, reader, allRejects, signal };
      for await (const row of emitRows(emission)) {
        if (row.kind === 'reject') counts.rejects.add(`${row.reject.stage}/${row.reject.reason}`);
        else {
          counts.confidence.add(row.change.confidence);
          if (row.evidence.kind === 'revert') defective++;
          else clean++;
        }
        yield row;
      }
    } finally {
      await reader.close();
    }
    return {
      project: filter.project,
      head,
      commits: table.count,
      index: index.found,
      counts: {
        history: counts.history.toJSON(),
        single_file: singleFile,
        single_function: singleFunction,
        touches,
        reverts: countReverts(history, links),
        defective,
        clean,
        unmatched: choice.unmatched,
        rejects: counts.rejects.toJSON(),
        confidence: counts.confidence.toJSON(),
      },
    };
  } finally {
    history?.rows.close();
    await index.close();
  }
}

function labelRule(rule: string): 'loose' | 'strict' | 'any' {
  if (rule === 'loose' || rule === 'strict' || rule === 'any') return rule;
  throw invalid('label', 'loose, strict or any', rule);
}

function positive(name: string, value: number): number {
  if (!Number.isFinite(value) || value < 0) throw invalid(name, 'a number of at least 0', String(value));
  return value;
}

/** `A..B`: what A reaches is not meant. */
function rangeTest(history: History, exclude: string | undefined): (commit: number) => boolean {
  if (!exclude) return () => true;
  const [from] = history.table.find(exclude);
  if (from === undefined) return () => true;
  const excluded = history.graph.reachable(from);
  return (commit) => excluded[commit] === 0;
}

function countReverts(history: History, links: RevertLinks): Record<string, number> {
  const counts = new Counter();
  counts.add('messages_with_keyword', history.messages.filter(({ keyword }) => keyword).length);
  for (const [target, list] of links.byTarget) {
    const single = history.verdicts.isSingle(target);
    const labels = [
      'any',
      ...(list.some(({ loose }) => loose) ? ['loose'] : []),
      ...(list.some(({ strict }) => strict) ? ['strict'] : []),
    ];
    for (const label of labels) {
      counts.add(`targets_${label}`);
      if ((history.table.flags[target]! & commitFlag.singleFile) !== 0) counts.add(`targets_${label}_single_file`);
      if (single) counts.add(`targets_${label}_single_function`);
    }
    if (!list.some(({ effective }) => effective)) counts.add('targets_relanded');
    for (const { shape } of list) counts.add(`shape_${shape.replaceAll('-', '_')}`);
  }
  return counts.toJSON();
}

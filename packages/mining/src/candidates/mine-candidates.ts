import {
  type ChangeEvidence,
  type CodeChange,
  Counter,
  changeId,
  type Reject,
  type RunOptions,
  throwIfAborted,
} from '@redef/core';
import { createExtractor, scannerName } from '../changes/extract-change.js';
import { BlobReader } from '../git/blob-reader.js';
import { objectKinds } from '../git/object-kinds.js';
import { openRepository, resolveRange } from '../git/repository.js';
import { openHistoryIndex } from '../history/history-index.js';
import { commitFlag, type History, loadHistory, type SingleChange } from '../history/load-history.js';
import { commitsFile } from '../history/log-pass.js';
import { CommitRows } from '../history/read-rows.js';
import type { CommitRow } from '../history/rows.js';
import {
  defaultExtensions,
  defaultProblemWords,
  invalid,
  type MineOptions,
  resolveFilter,
  wholeNumber,
} from '../options.js';
import { linkReverts, type RevertLink, type RevertLinks } from '../reverts/link-reverts.js';
import { linesInFunction, linesOfChange, undoes } from '../reverts/undoes.js';
import { type Choice, chooseCandidates } from './choose.js';
import { addCounts, type MiningSummary } from './summary.js';

export type MinedRow =
  | { kind: 'candidate'; change: CodeChange; evidence: ChangeEvidence }
  | { kind: 'reject'; reject: Reject };

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
    laterCommits: wholeNumber('laterCommits', options.laterCommits ?? 5, 1),
    seed: options.seed ?? 0,
  };
  const workers = wholeNumber('workers', options.workers ?? 0, 0);
  const repository = await openRepository(path);
  const filter = resolveFilter(options, repository.name);
  const { head, exclude } = await resolveRange(repository, options);

  const { extensions = defaultExtensions, ignorePaths = [], maxFileBytes } = options;
  const read = { extensions, ignorePaths, ...(maxFileBytes === undefined ? {} : { maxFileBytes }) };
  const index = await openHistoryIndex({
    repository,
    head,
    folder: options.index,
    filter: resolveFilter(read, repository.name),
    config: { ...read, maxFileBytes: filter.maxFileBytes, extractor: scannerName },
    workers,
    signal,
    onEvent,
  });
  try {
    const history = await loadHistory(index, {
      problemWords: options.problemWords ?? defaultProblemWords,
      acceptsCommit: filter.acceptsCommit,
      signal,
    });
    const accepts = rangeTest(history, exclude);
    const inFilter = ({ commit, path: file }: { commit: number; path: string }): boolean =>
      (history.table.flags[commit]! & commitFlag.authorAccepted) !== 0 && accepts(commit) && filter.accepts(file);
    const links = await linkReverts(history, (hashes) => objectKinds(repository.gitDirectory, hashes));
    const eligible: SingleChange[] = [];
    for (const commit of history.graph.order) {
      const change = history.changes.get(commit);
      if (change && inFilter(change)) eligible.push(change);
    }
    const choice = chooseCandidates(history, links, eligible, choosing);

    const counts = { rejects: new Counter(), confidence: new Counter(), history: new Counter() };
    for (const segment of index.state.segments) addCounts(counts.history, segment.counts);
    const run = new Emission(history, links, choice, inFilter, filter, signal);
    const reader = new BlobReader(repository.gitDirectory, filter.maxFileBytes);
    const commits = await CommitRows.open(commitsFile(index.folder));
    let [defective, clean] = [0, 0];
    try {
      for await (const row of run.rows(reader, commits)) {
        if (row.kind === 'reject') counts.rejects.add(`${row.reject.stage}/${row.reject.reason}`);
        else {
          counts.confidence.add(row.change.confidence);
          if (row.evidence.kind === 'revert') defective++;
          else clean++;
        }
        yield row;
      }
    } finally {
      await Promise.all([reader.close(), commits.close()]);
    }
    return {
      project: filter.project,
      head,
      commits: history.table.count,
      index: index.found,
      counts: {
        history: counts.history.toJSON(),
        single_file: eligible.length + [...history.rejects.values()].filter(inFilter).length,
        single_function: eligible.length,
        touches: history.touches.count,
        reverts: countReverts(history, links),
        defective,
        clean,
        unmatched: choice.unmatched,
        rejects: counts.rejects.toJSON(),
        confidence: counts.confidence.toJSON(),
      },
    };
  } finally {
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
    const single = history.changes.has(target);
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

/** Turns what was chosen into rows, in the order of the history. */
class Emission {
  /** The first change with each pair of texts. */
  readonly #firstWithTexts = new Map<string, SingleChange>();
  readonly #rejected = new Map<number, Choice['rejected'][number]>();

  constructor(
    private readonly history: History,
    private readonly links: RevertLinks,
    private readonly choice: Choice,
    private readonly inFilter: (change: { commit: number; path: string }) => boolean,
    private readonly filter: ReturnType<typeof resolveFilter>,
    private readonly signal: AbortSignal | undefined,
  ) {
    for (const entry of choice.rejected) this.#rejected.set(entry.change.commit, entry);
    for (const commit of history.graph.order) {
      const change = history.changes.get(commit);
      if (change && !this.#firstWithTexts.has(change.texts)) this.#firstWithTexts.set(change.texts, change);
    }
  }

  async *rows(reader: BlobReader, commits: CommitRows): AsyncGenerator<MinedRow, void, undefined> {
    const { history, choice } = this;
    const { table } = history;
    const extractor = createExtractor(this.filter);
    const revertRejects = new Map<string, Reject[]>();
    for (const reject of this.links.rejects)
      revertRejects.set(reject.id, [...(revertRejects.get(reject.id) ?? []), reject]);
    try {
      for (const commit of history.graph.order) {
        throwIfAborted(this.signal);
        const id = table.id(commit);
        for (const reject of revertRejects.get(id) ?? []) yield { kind: 'reject', reject };
        const fileReject = history.rejects.get(commit);
        if (fileReject) {
          if (!this.inFilter(fileReject)) continue;
          const { path, stage, reason, detail } = fileReject;
          yield {
            kind: 'reject',
            reject: { schema: 'redef.reject/1', id, stage, reason, detail: detail ? `${path}: ${detail}` : path },
          };
          continue;
        }
        const rejected = this.#rejected.get(commit);
        if (rejected) {
          const { change, stage, reason, detail } = rejected;
          yield {
            kind: 'reject',
            reject: {
              schema: 'redef.reject/1',
              id: this.#changeId(change),
              stage,
              reason,
              ...(detail ? { detail } : {}),
            },
          };
          continue;
        }
        const chosen = choice.defective.get(commit) ?? choice.clean.get(commit);
        if (!chosen) {
          const links = this.links.byTarget.get(commit);
          if (links && !history.changes.has(commit)) {
            const detail = `reverted by ${table.id(links[0]!.revert)}`;
            yield {
              kind: 'reject',
              reject: { schema: 'redef.reject/1', id, stage: 'revert', reason: 'target-not-single-file', detail },
            };
          }
          continue;
        }
        const row = await commits.read(table.offset[commit]!, table.length[commit]!);
        const file = { ...row.file!, oldMode: '100644', newMode: '100644', status: 'M' };
        const [before, after] = await Promise.all([reader.read(file.oldBlob), reader.read(file.newBlob)]);
        const result = await extractor.extract(row, file, before, after);
        if ('reject' in result) {
          yield { kind: 'reject', reject: result.reject };
          continue;
        }
        const first = this.#firstWithTexts.get(chosen.change.texts)!;
        const change: CodeChange =
          first.commit === commit ? result.change : { ...result.change, identical_to: this.#changeId(first) };
        const evidence =
          'link' in chosen
            ? await this.#revertEvidence(change, chosen.link, row, before as Buffer, after as Buffer, reader, commits)
            : await this.#cleanEvidence(change, chosen.later, commits);
        yield { kind: 'candidate', change, evidence };
      }
    } finally {
      await extractor.close();
    }
  }

  #changeId({ commit, path, signature }: SingleChange): string {
    return changeId({
      project: this.filter.project,
      commit: this.history.table.id(commit),
      path,
      function_signature: signature,
    });
  }

  async #revertEvidence(
    change: CodeChange,
    link: RevertLink,
    row: CommitRow,
    before: Buffer,
    after: Buffer,
    reader: BlobReader,
    commits: CommitRows,
  ): Promise<ChangeEvidence> {
    const { table } = this.history;
    const revert = await commits.read(table.offset[link.revert]!, table.length[link.revert]!);
    const takenBack = await this.#takenBack(link, row, linesOfChange(before, after, change.hunks), reader);
    return {
      schema: 'redef.evidence/1',
      id: change.id,
      kind: 'revert',
      revert_commit: revert.hash,
      revert_message: revert.message,
      reverted_at: revert.committedAt,
      shape: link.shape,
      loose: link.loose,
      strict: link.strict,
      ...(takenBack === undefined ? {} : { undoes: takenBack }),
      ...(link.effective ? {} : { relanded: true }),
    };
  }

  /** Compares with the revert's own diff of the file; of a merge there is none. */
  async #takenBack(
    link: RevertLink,
    row: CommitRow,
    lines: ReturnType<typeof linesOfChange>,
    reader: BlobReader,
  ): Promise<number | undefined> {
    const { table, touches, changes } = this.history;
    if (table.parentCount[link.revert] !== 1) return undefined;
    const change = changes.get(link.target)!;
    const place = touches.placeAt(link.target, change, link.revert);
    if (/[\n\\]/.test(place.path)) return undefined; // cannot be asked for by name
    const id = table.id(link.revert);
    const [before, after] = await Promise.all([
      reader.read(`${id}^1:${place.path}`),
      reader.read(`${id}:${place.path}`),
    ]);
    if (before === 'too-large' || after === 'too-large') return undefined;
    if (before === 'missing') return 0;
    const revertLines = linesInFunction(
      before,
      after === 'missing' ? Buffer.alloc(0) : after,
      row.file!.path,
      place.name,
    );
    return Math.round(undoes(lines, revertLines) * 1e4) / 1e4;
  }

  async #cleanEvidence(change: CodeChange, later: readonly number[], commits: CommitRows): Promise<ChangeEvidence> {
    const { table } = this.history;
    const laterCommits = [];
    for (const commit of later) {
      const { hash, committedAt, message } = await commits.read(table.offset[commit]!, table.length[commit]!);
      laterCommits.push({ commit: hash, committed_at: committedAt, message });
    }
    return { schema: 'redef.evidence/1', id: change.id, kind: 'clean', later_commits: laterCommits };
  }
}

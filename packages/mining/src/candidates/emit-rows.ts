import { type ChangeEvidence, type CodeChange, changeId, type Reject, throwIfAborted } from '@redef/core';
import type { FileExamination } from '../changes/examine-file.js';
import { createExtractor } from '../changes/extract-change.js';
import { makeReject } from '../changes/single-file.js';
import type { BlobReader } from '../git/blob-reader.js';
import type { History } from '../history/load-history.js';
import type { CommitRow, TouchRow } from '../history/rows.js';
import { verdictKind } from '../history/verdicts.js';
import type { ResolvedFilter } from '../options.js';
import type { RevertLink, RevertLinks } from '../reverts/link-reverts.js';
import { linesInFunction, linesOfChange, undoes } from '../reverts/undoes.js';
import { type Choice, outcome } from './choose.js';
import type { Screen } from './screen.js';

export type MinedRow =
  | { kind: 'candidate'; change: CodeChange; evidence: ChangeEvidence }
  | { kind: 'reject'; reject: Reject };

/** What was found and chosen of a history, to be told row by row. */
export interface Emission {
  history: History;
  links: RevertLinks;
  choice: Choice;
  screen: Screen;
  inFilter(commit: number): boolean;
  filter: Pick<ResolvedFilter, 'project' | 'secondOpinion'>;
  reader: BlobReader;
  allRejects: boolean;
  signal: AbortSignal | undefined;
}

/** The rows in the order of the history: candidates with their evidence, and rejects. */
export async function* emitRows(emission: Emission): AsyncGenerator<MinedRow, void, undefined> {
  const { history, links, choice, signal } = emission;
  const extractor = createExtractor(emission.filter);
  const firstWithTexts = firstByTexts(history);
  const ofReverts = new Map<string, Reject[]>();
  for (const reject of links.rejects) ofReverts.set(reject.id, [...(ofReverts.get(reject.id) ?? []), reject]);
  try {
    for (const commit of history.graph.order) {
      throwIfAborted(signal);
      if (ofReverts.size > 0)
        for (const reject of ofReverts.get(history.table.id(commit)) ?? []) yield { kind: 'reject', reject };
      const result = choice.outcomes[commit]!;
      if (result !== outcome.defective && result !== outcome.clean) {
        const reject = rejectOf(commit, emission);
        if (reject) yield { kind: 'reject', reject };
        continue;
      }
      const row = history.rows.commit(commit);
      const extracted = await extract(row, emission.reader, extractor);
      if ('reject' in extracted) {
        yield { kind: 'reject', reject: extracted.reject };
        continue;
      }
      const first = firstWithTexts(commit);
      const change: CodeChange =
        first === commit ? extracted.change : { ...extracted.change, identical_to: idOfChange(first, emission) };
      const evidence =
        result === outcome.defective
          ? await revertEvidence(change, choice.links.get(commit)!, row, extracted.examination, emission)
          : cleanEvidence(change, commit, emission);
      yield { kind: 'candidate', change, evidence };
    }
  } finally {
    await extractor.close();
  }
}

async function extract(row: CommitRow, reader: BlobReader, extractor: ReturnType<typeof createExtractor>) {
  const file = { ...row.file!, oldMode: '100644', newMode: '100644', status: 'M' };
  const [before, after] = await Promise.all([reader.read(file.oldBlob), reader.read(file.newBlob)]);
  return extractor.extract(row, file, before, after);
}

/** Why a commit is no candidate; `undefined` where that is only counted or it is not asked for. */
function rejectOf(commit: number, emission: Emission): Reject | undefined {
  const { history, links, choice, screen, inFilter, allRejects } = emission;
  const { table, verdicts, rows } = history;
  const ofChange = (stage: string, reason: string, detail?: string): Reject =>
    makeReject(idOfChange(commit, emission), stage, reason, detail);
  switch (choice.outcomes[commit]) {
    case outcome.otherLabelRule:
      return ofChange('revert', 'other-label-rule', choice.links.get(commit)!.shape);
    case outcome.relanded:
      return ofChange('revert', 'relanded', table.id(choice.links.get(commit)!.revert));
    case outcome.problemWord:
      return ofChange('screen', 'problem-word', table.id(screen.problem(commit)));
    case outcome.neverTouchedAgain:
      return ofChange('screen', 'never-touched-again');
    case outcome.notDrawn:
      return ofChange('match', 'not-drawn');
  }
  const id = table.id(commit);
  switch (verdicts.kind[commit]) {
    case verdictKind.rejected: {
      if (!inFilter(commit)) return undefined;
      const { path, verdict } = rows.touch(commit);
      const { reason, detail } = verdict as { reason: string; detail?: string };
      const stage = reason === 'blob-missing' || reason === 'file-too-large' ? 'file' : 'function';
      return makeReject(id, stage, reason, detail ? `${path}: ${detail}` : path);
    }
    case verdictKind.notModified: {
      if (!inFilter(commit)) return undefined;
      const { path, reason } = rows.commit(commit).reject!;
      return makeReject(id, 'file', reason, path);
    }
    case verdictKind.none: {
      const [link] = links.byTarget.get(commit) ?? [];
      if (link) return makeReject(id, 'revert', 'target-not-single-file', `reverted by ${table.id(link.revert)}`);
      return allRejects && inFilter(commit) ? makeReject(id, 'commit', rows.commit(commit).kind!) : undefined;
    }
  }
  return undefined;
}

function idOfChange(commit: number, { filter, history }: Emission): string {
  const { path, verdict } = history.rows.touch(commit);
  const { signature } = verdict as Extract<TouchRow['verdict'], { name: string }>;
  return changeId({ project: filter.project, commit: history.table.id(commit), path, function_signature: signature });
}

/** For a single-function change, the first of the history with the same two texts. */
function firstByTexts({ verdicts, graph, table }: History): (commit: number) => number {
  const { texts } = verdicts;
  const singles = new Int32Array(table.count);
  let count = 0;
  for (const commit of graph.order) if (verdicts.isSingle(commit)) singles[count++] = commit;
  const sorted = singles
    .slice(0, count)
    .sort((a, b) => texts[a]! - texts[b]! || graph.position[a]! - graph.position[b]!);
  return (commit) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (texts[sorted[middle]!]! < texts[commit]!) low = middle + 1;
      else high = middle;
    }
    return sorted[low]!;
  };
}

async function revertEvidence(
  change: CodeChange,
  link: RevertLink,
  row: CommitRow,
  examined: Pick<FileExamination, 'before' | 'after'>,
  emission: Emission,
): Promise<ChangeEvidence> {
  const revert = emission.history.rows.commit(link.revert);
  const takenBack = await undoneShare(
    link,
    row,
    linesOfChange(examined.before.bytes, examined.after.bytes, change.hunks),
    emission,
  );
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
async function undoneShare(
  link: RevertLink,
  row: CommitRow,
  lines: ReturnType<typeof linesOfChange>,
  { history, reader }: Emission,
): Promise<number | undefined> {
  const { table, functions, rows } = history;
  if (table.parentCount[link.revert] !== 1) return undefined;
  const { path, verdict } = rows.touch(link.target);
  const identity = verdict as Extract<TouchRow['verdict'], { name: string }>;
  const place = await functions.placeAt(link.target, { ...identity, path }, link.revert);
  if (/[\n\\]/.test(place.path)) return undefined; // cannot be asked for by name
  const id = table.id(link.revert);
  const [before, after] = await Promise.all([reader.read(`${id}^1:${place.path}`), reader.read(`${id}:${place.path}`)]);
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

function cleanEvidence(change: CodeChange, commit: number, { history, screen }: Emission): ChangeEvidence {
  const later = Array.from(screen.later(commit), (other) => {
    const { hash, committedAt, message } = history.rows.commit(other);
    return { commit: hash, committed_at: committedAt, message };
  });
  return { schema: 'redef.evidence/1', id: change.id, kind: 'clean', later_commits: later };
}

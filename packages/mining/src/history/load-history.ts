import { type ParsedMessage, parseRevertMessage } from '../reverts/parse-message.js';
import { CommitGraph } from './commit-graph.js';
import { CommitTable } from './commit-table.js';
import { FunctionHistory, type PlacedTouchRow } from './function-history.js';
import type { HistoryIndex } from './history-index.js';
import { HistoryRows } from './history-rows.js';
import { bucketCount, commitsFile } from './log-pass.js';
import { readRows } from './read-rows.js';
import { type CommitRow, keyOf } from './rows.js';
import type { FunctionPlace } from './touch-table.js';
import { Verdicts, verdictKind } from './verdicts.js';

/** A commit that changes one function alone. */
export interface SingleChange extends FunctionPlace {
  commit: number;
}

/** A message that speaks of reverts. */
export interface RevertMessage extends ParsedMessage {
  commit: number;
}

/** A history as it is held: numbers by commit, in about 150 bytes each. Texts are in the rows of the index folder. */
export interface History {
  table: CommitTable;
  graph: CommitGraph;
  verdicts: Verdicts;
  functions: FunctionHistory;
  rows: HistoryRows;
  messages: RevertMessage[];
  names: CommitNames;
}

/** What later reverts may name a commit by, beside its id; by commit. */
export interface CommitNames {
  /** Key of each commit's subject. */
  subjects: Float64Array;
  /** The Subversion revision of its trailer; 0 for none. */
  svnRevisions: Uint32Array;
  /** N where its subject ends in `(#N)`; 0 for none. */
  pullRequests: Uint32Array;
}

export const commitFlag = { problem: 1, authorAccepted: 2, singleFile: 4 } as const;

export interface LoadOptions {
  problemWords: readonly string[];
  acceptsCommit(commit: { author: string; committedSeconds: number }): boolean;
  signal?: AbortSignal | undefined;
}

/** Reads an index folder's commits back. Messages are looked at as they pass, not held. {@link readVerdicts} goes on. */
export async function loadHistory({ folder, state }: HistoryIndex, options: LoadOptions): Promise<History> {
  const { head, commits, bytes: end } = state.segments.at(-1)!;
  const table = new CommitTable(commits, head.length / 2);
  const verdicts = new Verdicts(commits);
  const messages: RevertMessage[] = [];
  const names: CommitNames = {
    subjects: new Float64Array(commits),
    svnRevisions: new Uint32Array(commits),
    pullRequests: new Uint32Array(commits),
  };
  const isProblem = problemTest(options.problemWords);
  let offset = 0;
  for await (const { value, bytes } of readRows<CommitRow>(commitsFile(folder), end, options.signal)) {
    const { message } = value;
    const index = table.add(value.hash, value.parents, value.committedSeconds, offset, bytes);
    offset += bytes;
    let flags = 0;
    if (isProblem(message)) flags |= commitFlag.problem;
    if (options.acceptsCommit(value)) flags |= commitFlag.authorAccepted;
    if (value.file || value.reject) flags |= commitFlag.singleFile;
    table.flags[index] = flags;
    if (value.reject) verdicts.set(index, verdictKind.notModified, value.reject.path);
    const subject = message.split('\n', 1)[0]!.trim();
    names.subjects[index] = keyOf('', subject);
    names.svnRevisions[index] = number(/^git-svn-id: \S+@(\d+) /m.exec(message)?.[1]);
    names.pullRequests[index] = number(/\(#(\d+)\)$/.exec(subject)?.[1]);
    const parsed = parseRevertMessage(message);
    if (parsed.reverts.length > 0 || parsed.relands.length > 0) messages.push({ commit: index, ...parsed });
  }
  const graph = new CommitGraph(table);
  const functions = await FunctionHistory.open(folder, state.segments.length, graph, { signal: options.signal });
  return { table, graph, verdicts, functions, rows: new HistoryRows(folder, table, verdicts), messages, names };
}

const number = (digits: string | undefined): number => {
  const value = Number(digits ?? 0);
  return value < 2 ** 32 ? value : 0;
};

/** Takes the verdicts of a history in, and gives its single-function changes, those of one bucket of files after another. */
export async function* readVerdicts({
  verdicts,
  functions,
}: History): AsyncGenerator<{ changes: SingleChange[]; touches: number }, void, undefined> {
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    const changes: SingleChange[] = [];
    for await (const placed of functions.readBucket(bucket)) {
      const change = takeVerdict(verdicts, placed);
      if (change) changes.push(change);
    }
    yield { changes, touches: functions.touchCount(bucket) };
  }
}

function takeVerdict(verdicts: Verdicts, { row, file, offset, length }: PlacedTouchRow): SingleChange | undefined {
  const { commit, path, verdict } = row;
  if (!verdict) return undefined;
  const single = 'name' in verdict;
  verdicts.set(commit, single ? verdictKind.single : verdictKind.rejected, path);
  verdicts.file[commit] = file;
  verdicts.offset[commit] = offset;
  verdicts.length[commit] = length;
  if (!single) return undefined;
  const { name, signature, unique, texts } = verdict;
  verdicts.texts[commit] = Number.parseInt(texts.slice(0, 13), 16);
  return { commit, path, name, signature, unique };
}

function problemTest(words: readonly string[]): (message: string) => boolean {
  if (words.length === 0) return () => false;
  const alternatives = words.map((word) =>
    word
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\s+/g, '\\s+'),
  );
  const expression = new RegExp(alternatives.join('|'), 'i');
  return (message) => expression.test(message);
}

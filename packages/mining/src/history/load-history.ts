import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { readJsonlLines } from '@redef/core/files';
import type { VerdictReason } from '../changes/examine-file.js';
import { type ParsedMessage, parseRevertMessage } from '../reverts/parse-message.js';
import { CommitGraph } from './commit-graph.js';
import { CommitTable } from './commit-table.js';
import type { HistoryIndex } from './history-index.js';
import { bucketCount, commitsFile, renamesFile, touchesFile } from './log-pass.js';
import { readRows } from './read-rows.js';
import { type CommitRow, type FunctionIdentity, keyOf, type RenameRow, type TouchRow } from './rows.js';
import { TouchTable } from './touch-table.js';

/** A commit that changes one function alone. */
export interface SingleChange extends FunctionIdentity {
  commit: number;
  path: string;
  /** No other function of the file has its name. */
  unique: boolean;
  texts: string;
}

/** A commit of one accepted file that does not, and why. */
export interface SingleReject {
  commit: number;
  path: string;
  stage: 'file' | 'function';
  reason: VerdictReason | string;
  detail?: string;
}

/** A message that speaks of reverts. */
export interface RevertMessage extends ParsedMessage {
  commit: number;
}

export interface History {
  table: CommitTable;
  graph: CommitGraph;
  changes: Map<number, SingleChange>;
  rejects: Map<number, SingleReject>;
  touches: TouchTable;
  messages: RevertMessage[];
  subjects: SubjectIndex;
}

/** What later reverts may name a commit by, beside its id. */
export interface SubjectIndex {
  /** Key of each commit's subject. */
  subjects: Float64Array;
  svnRevisions: Map<number, number>;
  /** The commits whose subject ends in `(#N)`. */
  pullRequests: Map<number, number>;
}

export const commitFlag = { problem: 1, authorAccepted: 2, singleFile: 4 } as const;

export interface LoadOptions {
  problemWords: readonly string[];
  acceptsCommit(commit: { author: string; committedSeconds: number }): boolean;
  signal?: AbortSignal | undefined;
}

/** Reads an index folder back. Messages are looked at as they pass, not held. */
export async function loadHistory({ folder, state }: HistoryIndex, options: LoadOptions): Promise<History> {
  const table = new CommitTable();
  const messages: RevertMessage[] = [];
  const rejects = new Map<number, SingleReject>();
  const subjects: number[] = [];
  const svnRevisions = new Map<number, number>();
  const pullRequests = new Map<number, number>();
  const isProblem = problemTest(options.problemWords);
  const strings = new Map<string, string>();
  const intern = (text: string): string => {
    const known = strings.get(text);
    if (known !== undefined) return known;
    strings.set(text, text);
    return text;
  };
  const present = new Set(await readdir(folder));
  /** A bucket without files has left none. */
  async function* rowsOf(path: string): AsyncGenerator<unknown, void, undefined> {
    if (!present.has(basename(path))) return;
    for await (const { value } of readJsonlLines(path, options.signal ? { signal: options.signal } : {})) yield value;
  }

  let offset = 0;
  for await (const { value, bytes } of readRows<CommitRow>(
    commitsFile(folder),
    state.segments.at(-1)?.bytes ?? 0,
    options.signal,
  )) {
    const index = table.add(value.hash, value.parents, value.committedSeconds, offset, bytes);
    offset += bytes;
    let flags = 0;
    if (isProblem(value.message)) flags |= commitFlag.problem;
    if (options.acceptsCommit(value)) flags |= commitFlag.authorAccepted;
    if (value.file || value.reject) flags |= commitFlag.singleFile;
    table.flags[index] = flags;
    if (value.reject)
      rejects.set(index, {
        commit: index,
        path: intern(value.reject.path),
        stage: 'file',
        reason: intern(value.reject.reason),
      });
    const [subject = ''] = value.message.split('\n', 1);
    subjects.push(keyOf('', subject.trim()));
    const revision = /^git-svn-id: \S+@(\d+) /m.exec(value.message)?.[1];
    if (revision) svnRevisions.set(Number(revision), index);
    const pull = /\(#(\d+)\)$/.exec(subject.trim())?.[1];
    if (pull) pullRequests.set(Number(pull), index);
    const parsed = parseRevertMessage(value.message);
    if (parsed.reverts.length > 0 || parsed.relands.length > 0) messages.push({ commit: index, ...parsed });
  }
  table.seal();

  const graph = new CommitGraph(table);
  const touches = new TouchTable(graph);
  const changes = new Map<number, SingleChange>();
  for (let segment = 0; segment < state.segments.length; segment++) {
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      for await (const value of rowsOf(touchesFile(folder, segment, bucket))) {
        const { commit, path, touched, verdict, renamed } = value as TouchRow;
        for (const [name, signature, unique] of touched) touches.add(commit, name, signature, unique === 1);
        if (renamed) for (const { from, to } of renamed) touches.addFunctionRename(commit, intern(path), from, to);
        if (!verdict) continue;
        if ('name' in verdict) {
          changes.set(commit, {
            commit,
            path: intern(path),
            name: intern(verdict.name),
            signature: verdict.signature,
            unique: verdict.unique,
            texts: verdict.texts,
          });
        } else {
          rejects.set(commit, {
            commit,
            path: intern(path),
            stage: verdict.reason === 'blob-missing' || verdict.reason === 'file-too-large' ? 'file' : 'function',
            reason: intern(verdict.reason),
            ...(verdict.detail ? { detail: intern(verdict.detail) } : {}),
          });
        }
      }
    }
    for await (const value of rowsOf(renamesFile(folder, segment))) touches.addFileRename(value as RenameRow);
  }
  touches.seal();
  return {
    table,
    graph,
    changes,
    rejects,
    touches,
    messages,
    subjects: { subjects: Float64Array.from(subjects), svnRevisions, pullRequests },
  };
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

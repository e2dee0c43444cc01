import { type CodeChange, changeId, sha256 } from '@redef/core';
import { functionSignature } from '../functions/function-text.js';
import type { Commit } from '../git/log-stream.js';
import type { FileExamination, Verdict } from './examine-file.js';

/** What the record says of how the function's bounds were found. */
export interface Extraction {
  extractor: string;
  confidence: CodeChange['confidence'];
}

export type CommitHeader = Pick<Commit, 'hash' | 'parents' | 'authoredAt' | 'committedAt' | 'message'>;

/** The record of a single-function change. */
export function makeChange(
  project: string,
  commit: CommitHeader,
  path: string,
  { after, hunks }: Pick<FileExamination, 'after' | 'hunks'>,
  { texts, ...spans }: Verdict & { single: true },
  { extractor, confidence }: Extraction,
): CodeChange {
  const identity = {
    project,
    commit: commit.hash,
    path,
    function_signature: functionSignature(after.bytes, spans.after),
  };
  const decoding = texts.after.decoding ?? texts.before.decoding;
  return {
    schema: 'redef.change/1',
    id: changeId(identity),
    ...identity,
    parent: commit.parents[0]!,
    function_name: spans.after.name,
    language: after.language,
    committed_at: isoDate(commit.committedAt),
    authored_at: isoDate(commit.authoredAt),
    message: commit.message,
    function_before: texts.before.text,
    function_after: texts.after.text,
    lines_before: { start: spans.before.startLine, end: spans.before.endLine },
    lines_after: { start: spans.after.startLine, end: spans.after.endLine },
    hunks,
    extractor,
    confidence,
    ...(decoding ? { decoding } : {}),
  };
}

/** git writes a broken date of a hand-made commit in other ways; such a record must still be readable. */
function isoDate(text: string): string {
  const [, local, sign, hours, minutes] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:Z|([+-])(\d{2}):(\d{2}))$/.exec(text) ?? [];
  if (!local || Number.isNaN(Date.parse(`${local}Z`))) return '1970-01-01T00:00:00Z';
  if (!Number.isNaN(Date.parse(text))) return text;
  const offset = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000; // git takes any: +9999
  return new Date(Date.parse(`${local}Z`) - offset).toISOString().replace('.000', '');
}

/** Equal for two changes with the same function texts before and after. */
export function textsDigest(before: string, after: string): string {
  return sha256(`${before.length}\n${before}\n${after}`).slice(0, 24);
}

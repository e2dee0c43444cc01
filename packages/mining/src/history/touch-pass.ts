import {
  examineFile,
  type FileExamination,
  type ScannedFile,
  scanFile,
  singleFunctionVerdict,
} from '../changes/examine-file.js';
import { textsDigest } from '../changes/make-change.js';
import { functionSignature } from '../functions/function-text.js';
import type { FunctionSpan } from '../functions/scanner-state.js';
import type { BlobReader } from '../git/blob-reader.js';
import { keyOf, type PairRow, type SingleVerdict, type TouchedKey, type TouchRow } from './rows.js';

/** How many blobs are asked of git ahead of the pair at hand. */
const lookAhead = 48;

/**
 * Goes through the modified files of a history path by path, so that each version is read and scanned once: as the new
 * one of a commit and again as the old one of the next.
 */
export async function* touchPass(
  pairs: readonly PairRow[],
  reader: BlobReader,
): AsyncGenerator<TouchRow, void, undefined> {
  let previous: ScannedFile | undefined;
  let lastAsked = '';
  const waiting: {
    pair: PairRow;
    old: ReturnType<BlobReader['read']> | undefined;
    new: ReturnType<BlobReader['read']>;
  }[] = [];
  let next = 0;
  const ask = (): void => {
    if (waiting.length > lookAhead / 2) return; // so that many requests go out in one write
    while (waiting.length < lookAhead && next < pairs.length) {
      const pair = pairs[next++]!;
      // most often the version just asked for, which the scan before leaves behind
      const old = pair.oldBlob === lastAsked ? undefined : reader.read(pair.oldBlob);
      const fresh = reader.read(pair.newBlob);
      old?.catch(() => {});
      fresh.catch(() => {});
      lastAsked = pair.newBlob;
      waiting.push({ pair, old, new: fresh });
    }
  };
  let previousBytes: Buffer | 'missing' | 'too-large' = 'missing';
  for (;;) {
    ask();
    const item = waiting.shift();
    if (!item) return;
    const { pair } = item;
    const before = item.old ? await item.old : previousBytes;
    const after = await item.new;
    previousBytes = after;
    if (typeof before === 'string' || typeof after === 'string') {
      previous = undefined;
      const reason = before === 'too-large' || after === 'too-large' ? 'file-too-large' : 'blob-missing';
      yield { commit: pair.commit, path: pair.path, touched: [], ...(pair.single ? { verdict: { reason } } : {}) };
      continue;
    }
    const scanned = previous?.blob === pair.oldBlob ? previous : scanFile(pair.oldBlob, before, pair.path);
    const examination = examineFile(scanned, pair.newBlob, after, pair.path);
    previous = examination.after;
    yield touchRow(pair, examination);
  }
}

function touchRow(pair: PairRow, examination: FileExamination): TouchRow {
  const { before, after, touched } = examination;
  const keys: TouchedKey[] = [];
  const renamed: NonNullable<TouchRow['renamed']> = [];
  for (const { before: old, after: now } of touched.functions) {
    if (!old || !now) continue;
    const signature = functionSignature(after.bytes, now);
    const unique = isUnique(after.scan.functions, now);
    keys.push([keyOf(pair.path, now.name), keyOf(pair.path, signature), unique ? 1 : 0]);
    if (old.name !== now.name || !unique) {
      const from = { name: old.name, signature: functionSignature(before.bytes, old) };
      if (from.name !== now.name || from.signature !== signature)
        renamed.push({ from, to: { name: now.name, signature } });
    }
  }
  return {
    commit: pair.commit,
    path: pair.path,
    touched: keys,
    ...(pair.single ? { verdict: verdictOf(examination) } : {}),
    ...(renamed.length > 0 ? { renamed } : {}),
  };
}

function verdictOf(examination: FileExamination): SingleVerdict {
  const verdict = singleFunctionVerdict(examination);
  if (!verdict.single) return { reason: verdict.reason, ...(verdict.detail ? { detail: verdict.detail } : {}) };
  const { after } = examination;
  return {
    name: verdict.after.name,
    signature: functionSignature(after.bytes, verdict.after),
    unique: isUnique(after.scan.functions, verdict.after),
    texts: textsDigest(verdict.texts.before.text, verdict.texts.after.text),
  };
}

function isUnique(functions: readonly FunctionSpan[], span: FunctionSpan): boolean {
  for (const other of functions) if (other !== span && other.name === span.name) return false;
  return true;
}

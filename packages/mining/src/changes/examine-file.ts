import type { Hunk } from '@redef/core';
import type { FileScan } from '../functions/checkpoints.js';
import { type FunctionText, functionText } from '../functions/function-text.js';
import type { Language } from '../functions/language.js';
import { languageOf } from '../functions/language.js';
import { scanFunctions } from '../functions/scanner.js';
import type { FunctionSpan } from '../functions/scanner-state.js';
import { diffLines } from '../text/line-diff.js';
import { type Touched, touchedFunctions } from './touched-functions.js';

/** A version of a file with its functions. */
export interface ScannedFile {
  blob: string;
  bytes: Buffer;
  language: Language;
  scan: FileScan;
}

export function scanFile(blob: string, bytes: Buffer, path: string): ScannedFile {
  const language = languageOf(path, bytes);
  return { blob, bytes, language, scan: scanFunctions(bytes, language) };
}

/** What a commit did to one file. */
export interface FileExamination {
  before: ScannedFile;
  after: ScannedFile;
  hunks: Hunk[];
  touched: Touched;
}

/** Diffs two versions of a file and finds the functions that differ. The second scan goes on from the first. */
export function examineFile(before: ScannedFile, afterBlob: string, afterBytes: Buffer, path: string): FileExamination {
  const { hunks, prefix, suffix } = diffLines(before.bytes, afterBytes, (offset) => lineMark(before.scan, offset));
  const differing = { from: prefix, to: afterBytes.length - suffix };
  const language = languageOf(path, afterBytes, before.language === 'c' ? differing : undefined);
  const earlier = language === before.language ? { scan: before.scan, bytes: before.bytes, prefix, suffix } : undefined;
  const after = { blob: afterBlob, bytes: afterBytes, language, scan: scanFunctions(afterBytes, language, earlier) };
  return {
    before,
    after,
    hunks,
    touched: touchedFunctions(hunks, before.scan.functions, after.scan.functions),
  };
}

function lineMark(scan: FileScan, offset: number): { offset: number; line: number } {
  const { checkpoints } = scan;
  let found = { offset: 0, line: 1 };
  for (let low = 0, high = checkpoints.length - 1; low <= high; ) {
    const middle = (low + high) >> 1;
    if (checkpoints[middle]!.offset <= offset) {
      found = checkpoints[middle]!;
      low = middle + 1;
    } else high = middle - 1;
  }
  return found;
}

/** Why a commit that modifies one file is not a single-function change. */
export type VerdictReason =
  | 'no-changed-lines'
  | 'outside-function'
  | 'several-functions'
  | 'functions-share-a-line'
  | 'function-added'
  | 'function-removed'
  | 'function-renamed'
  | 'same-text';

export type Verdict =
  | { single: true; before: FunctionSpan; after: FunctionSpan; texts: { before: FunctionText; after: FunctionText } }
  | { single: false; reason: VerdictReason; detail?: string };

/**
 * Whether all changed lines lie in one function that exists before and after (ReDef, section 3.1). Its text must differ too:
 * a record says nothing of a newline at the end of the file, carriage returns at line ends and the file's encoding.
 */
export function singleFunctionVerdict({ before, after, hunks, touched }: FileExamination): Verdict {
  if (hunks.length === 0) return { single: false, reason: 'no-changed-lines' };
  if (touched.outside) return { single: false, reason: 'outside-function' };
  if (touched.shared) return { single: false, reason: 'functions-share-a-line' };
  if (touched.functions.length > 1) {
    return { single: false, reason: 'several-functions', detail: `${touched.functions.length} functions` };
  }
  const [only] = touched.functions;
  if (!only?.before) return { single: false, reason: 'function-added' };
  if (!only.after) return { single: false, reason: 'function-removed' };
  if (only.before.name !== only.after.name) {
    return { single: false, reason: 'function-renamed', detail: `${only.before.name} -> ${only.after.name}` };
  }
  const texts = { before: functionText(before.bytes, only.before), after: functionText(after.bytes, only.after) };
  if (texts.before.text === texts.after.text) return { single: false, reason: 'same-text' };
  return { single: true, before: only.before, after: only.after, texts };
}

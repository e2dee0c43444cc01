import { sha256 } from '@redef/core';
import type { VerdictReason } from '../changes/examine-file.js';

// The rows of the index folder, one JSON array or object a line. `commit` is a commit's number in `commits.jsonl`.

/** A commit as it is spilled: what the record needs, and what its files were. */
export interface CommitRow {
  hash: string;
  parents: readonly string[];
  author: string;
  authoredAt: string;
  committedAt: string;
  committedSeconds: number;
  message: string;
  messageRepaired?: true;
  /** Of a commit that modifies one accepted file. */
  file?: { path: string; oldBlob: string; newBlob: string };
  /** Of a commit of one accepted file that is not modified as text. */
  reject?: { path: string; reason: string };
  /** Of any other commit: a merge, one of several files, ... */
  kind?: string;
}

/** One modified file of one commit. */
export interface PairRow {
  commit: number;
  path: string;
  oldBlob: string;
  newBlob: string;
  /** The commit's only file. */
  single: boolean;
}

/** Files that one commit deletes and adds: its renames, where their texts are alike. */
export interface MoveRow {
  commit: number;
  deleted: { path: string; blob: string }[];
  added: { path: string; blob: string }[];
}

/** What a commit did to one file, as far as later stages ask. */
export interface TouchRow {
  commit: number;
  path: string;
  touched: TouchedKey[];
  /** Of the commit's only file. */
  verdict?: SingleVerdict;
  /** Functions that changed their name or, beside another of the same name, their signature. */
  renamed?: { from: FunctionIdentity; to: FunctionIdentity }[];
}

export type SingleVerdict =
  | { name: string; signature: string; unique: boolean; texts: string }
  | { reason: VerdictReason | 'blob-missing' | 'file-too-large'; detail?: string };

/** A function within its file: its signature tells it apart where its name does not. */
export interface FunctionIdentity {
  name: string;
  signature: string;
}

/** Keys of a function's name and signature, and 1 where the name is unique in its file. */
export type TouchedKey = [name: number, signature: number, unique: 0 | 1];

export interface RenameRow {
  commit: number;
  from: string;
  to: string;
}

/** 52 bits of a digest: a number that can stand in a typed array in place of a path and a name. */
export function keyOf(path: string, text: string): number {
  return Number.parseInt(sha256(`${path}\0${text}`).slice(0, 13), 16);
}

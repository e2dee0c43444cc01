import type { CodeChange, Reject } from '@redef/core';
import { confidenceIn } from '../functions/second-opinion.js';
import { TreeSitter } from '../functions/tree-sitter.js';
import type { Absent } from '../git/blob-reader.js';
import type { Commit, FileChange } from '../git/log-stream.js';
import type { ResolvedFilter } from '../options.js';
import {
  examineFile,
  type FileExamination,
  type ScannedFile,
  scanFile,
  singleFunctionVerdict,
} from './examine-file.js';
import { type CommitHeader, makeChange } from './make-change.js';
import { reject } from './single-file.js';

/** The scanner's name in the records; the number rises when its verdicts change. */
export const scannerName = 'scanner/2';
const grammarNames = { c: 'tree-sitter-c/0.24', cpp: 'tree-sitter-cpp/0.23' };

export interface Extractor {
  extract(
    commit: Pick<Commit, keyof CommitHeader>,
    file: FileChange,
    before: Buffer | Absent,
    after: Buffer | Absent,
  ): Promise<{ change: CodeChange; examination: FileExamination } | { reject: Reject }>;
  close(): Promise<void>;
}

/** Scanned versions that are kept, in bytes: a file's later version is the earlier one of its next change. */
const cacheBytes = 24 * 2 ** 20;

/** Turns a single-file commit and the two versions of its file into a record or a reject. */
export function createExtractor(filter: Pick<ResolvedFilter, 'project' | 'secondOpinion'>): Extractor {
  const cache = new ScanCache();
  const treeSitter = filter.secondOpinion ? new TreeSitter() : undefined;
  return {
    async extract(commit, file, before, after) {
      if (typeof before === 'string' || typeof after === 'string') {
        const absent = typeof before === 'string' ? before : after;
        return { reject: reject(commit, file, 'file', absent === 'too-large' ? 'file-too-large' : 'blob-missing') };
      }
      const scanned = cache.get(file.oldBlob, file.path) ?? scanFile(file.oldBlob, before, file.path);
      const examination = examineFile(scanned, file.newBlob, after, file.path);
      cache.put(file.path, examination.after);
      const verdict = singleFunctionVerdict(examination);
      if (!verdict.single) return { reject: reject(commit, file, 'function', verdict.reason, verdict.detail) };
      const { after: now } = examination;
      const confidence = await confidenceIn(
        [
          { bytes: scanned.bytes, language: scanned.language, span: verdict.before },
          { bytes: now.bytes, language: now.language, span: verdict.after },
        ],
        treeSitter,
      );
      const extractor = confidence === 'medium' ? `${scannerName}+${grammarNames[now.language]}` : scannerName;
      const extraction = { extractor, confidence };
      return { change: makeChange(filter.project, commit, file.path, examination, verdict, extraction), examination };
    },
    close: async () => treeSitter?.close(),
  };
}

class ScanCache {
  readonly #files = new Map<string, ScannedFile>();
  #bytes = 0;

  get(blob: string, path: string): ScannedFile | undefined {
    const found = this.#files.get(path);
    return found?.blob === blob ? found : undefined;
  }

  /** Keeps the last version of each path; the paths longest unchanged go first. */
  put(path: string, file: ScannedFile): void {
    this.#remove(path);
    this.#files.set(path, file);
    this.#bytes += file.bytes.length;
    for (const oldest of this.#files.keys()) {
      if (this.#bytes <= cacheBytes || oldest === path) break;
      this.#remove(oldest);
    }
  }

  #remove(path: string): void {
    const file = this.#files.get(path);
    if (!file) return;
    this.#bytes -= file.bytes.length;
    this.#files.delete(path);
  }
}

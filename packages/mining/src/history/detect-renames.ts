import type { BlobReader } from '../git/blob-reader.js';
import type { MoveRow, RenameRow } from './rows.js';

/** As git's default: a file is taken for a renamed one when half of it is the same. */
const minSimilarity = 0.5;
/** Past so many files on either side only those that keep their base name are compared. */
const maxFiles = 40;

/**
 * The renames of a commit: a deleted file is paired with the added one most like it, equal blobs first, then those that
 * keep their base name, then the rest. Likeness is the share of common lines in the larger of the two.
 */
export async function detectRenames(move: MoveRow, reader: BlobReader): Promise<RenameRow[]> {
  const renames: RenameRow[] = [];
  let { deleted, added } = move;
  const take = (from: (typeof deleted)[number], to: (typeof added)[number]): void => {
    renames.push({ commit: move.commit, from: from.path, to: to.path });
    deleted = deleted.filter((file) => file !== from);
    added = added.filter((file) => file !== to);
  };
  for (const from of move.deleted) {
    const to =
      added.find((file) => file.blob === from.blob && baseName(file.path) === baseName(from.path)) ??
      added.find((file) => file.blob === from.blob);
    if (to) take(from, to);
  }
  if (deleted.length === 0 || added.length === 0) return renames;

  const few = deleted.length <= maxFiles && added.length <= maxFiles;
  const scores: { from: (typeof deleted)[number]; to: (typeof added)[number]; score: number }[] = [];
  const lines = new Map<string, Map<string, number> | undefined>();
  const linesOf = async (blob: string): Promise<Map<string, number> | undefined> => {
    if (!lines.has(blob)) lines.set(blob, countLines(await reader.read(blob)));
    return lines.get(blob);
  };
  for (const from of deleted) {
    for (const to of added) {
      const sameName = baseName(from.path) === baseName(to.path);
      if (!few && !sameName) continue;
      const score = similarity(await linesOf(from.blob), await linesOf(to.blob));
      if (score >= minSimilarity) scores.push({ from, to, score: score + (sameName ? 1 : 0) });
    }
  }
  scores.sort((a, b) => b.score - a.score || compare(a.from.path, b.from.path) || compare(a.to.path, b.to.path));
  for (const { from, to } of scores) if (deleted.includes(from) && added.includes(to)) take(from, to);
  return renames;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function countLines(bytes: Buffer | string): Map<string, number> | undefined {
  if (typeof bytes === 'string') return undefined;
  const counts = new Map<string, number>();
  for (const line of bytes.toString('latin1').split('\n')) {
    const text = line.trim();
    if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

function similarity(a: Map<string, number> | undefined, b: Map<string, number> | undefined): number {
  if (!a || !b) return 0;
  let common = 0;
  let [inA, inB] = [0, 0];
  for (const count of b.values()) inB += count;
  for (const [line, count] of a) {
    inA += count;
    common += Math.min(count, b.get(line) ?? 0);
  }
  return common / Math.max(1, inA, inB);
}

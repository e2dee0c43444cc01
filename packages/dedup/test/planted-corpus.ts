import { createRng, type Rng } from '@redef/core';

/** A row of the corpus, and what it was made from. */
export interface PlantedRow {
  id: string;
  source: string;
  /** The row it was copied from, and how. */
  planted?: { of: string; kind: 'exact' | 'renamed' | 'near'; jaccard: number };
}

const types = ['int', 'char', 'long', 'void', 'size_t', 'struct list', 'unsigned'];
const operators = ['+', '-', '*', '/', '%', '<', '>', '==', '!=', '<<', '&', '|', '&&', '||'];

/**
 * Random C functions, and for each of some share of them a copy: with other white space and comments (`exact`), with its
 * names replaced one for one (`renamed`), or with tokens replaced until the Jaccard index falls towards `jaccard` without
 * going below it (`near`). Same seed, same corpus.
 */
export function* plantedCorpus(
  rows: number,
  seed: number,
  { copies = 0.3, jaccard = 0.8 } = {},
): Generator<PlantedRow> {
  const rng = createRng(seed);
  for (let row = 0; row < rows; row++) {
    const turn = rng.fork(row);
    const tokens = randomFunction(turn);
    const id = `f${row}`;
    yield { id, source: tokens.join(' ') };
    if (turn.next() >= copies || row + 1 >= rows) continue;
    row++;
    const kind = (['exact', 'renamed', 'near'] as const)[turn.integer(3)]!;
    const copy = kind === 'exact' ? tokens : kind === 'renamed' ? rename(tokens, turn) : edit(tokens, jaccard, turn);
    yield {
      id: `${id}-${kind}`,
      source: kind === 'exact' ? `/* copied */ ${copy.join('\n')} // again` : copy.join(' '),
      planted: { of: id, kind, jaccard: jaccardOf(tokens, copy) },
    };
  }
}

function randomFunction(rng: Rng): string[] {
  const pick = <T>(items: readonly T[]) => items[rng.integer(items.length)]!;
  const name = () => `${pick(['buf', 'len', 'ctx', 'node', 'ptr', 'idx', 'state', 'dev'])}_${rng.integer(5000)}`;
  const names = Array.from({ length: 12 }, name);
  const tokens = [pick(types), name(), '(', pick(types), names[0]!, ',', pick(types), names[1]!, ')', '{'];
  const statements = 4 + rng.integer(60);
  for (let statement = 0; statement < statements; statement++) {
    const shape = rng.integer(4);
    if (shape === 0) tokens.push(pick(names), '=', pick(names), pick(operators), String(rng.integer(300)), ';');
    else if (shape === 1)
      tokens.push('if', '(', pick(names), pick(operators), pick(names), ')', 'return', pick(names), ';');
    else if (shape === 2) tokens.push(name(), '(', pick(names), ',', '&', pick(names), ')', ';');
    else tokens.push(pick(names), '->', pick(names), '[', pick(names), ']', '+=', `"text ${rng.integer(1000)}"`, ';');
  }
  tokens.push('}');
  return tokens;
}

function rename(tokens: readonly string[], rng: Rng): string[] {
  const prefix = `renamed${rng.integer(1e6)}_`;
  return tokens.map((token) => (/_\d+$/.test(token) ? prefix + token : token));
}

function edit(tokens: readonly string[], least: number, rng: Rng): string[] {
  let edited = [...tokens];
  for (let tries = 0; tries < 400; tries++) {
    const next = [...edited];
    const at = rng.integer(next.length);
    const shape = rng.integer(3);
    if (shape === 0) next[at] = `edit_${rng.integer(1e6)}`;
    else if (shape === 1) next.splice(at, 1);
    else next.splice(at, 0, 'call', '(', `edit_${rng.integer(1e6)}`, ')', ';');
    if (jaccardOf(tokens, next) < least) break;
    edited = next;
  }
  return edited;
}

/** The Jaccard index of the sets of 3-token shingles, by the plainest means. */
export function jaccardOf(first: readonly string[], second: readonly string[], width = 3): number {
  const shingles = (tokens: readonly string[]) =>
    new Set(
      tokens
        .slice(0, Math.max(1, tokens.length - width + 1))
        .map((_token, at) => tokens.slice(at, at + width).join('\0')),
    );
  const [left, right] = [shingles(first), shingles(second)];
  let shared = 0;
  for (const shingle of left) if (right.has(shingle)) shared++;
  return shared / (left.size + right.size - shared);
}

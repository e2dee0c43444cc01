import { hash } from 'node:crypto';
import { canonicalJson } from '@redef/core';
import { digestWords } from './digest-table.js';
import { type LevelOption, type Stripping, strippingOf } from './levels.js';
import type { Row } from './rows.js';
import { findMarkers, tagPrefix } from './strip.js';
import { createTokenSpans, scanTokens, type TokenSpans } from './tokens.js';

/** How a value is told apart from the text that would look the same. Missing values (null, undefined, NaN) are one. */
const kinds = { missing: 0, text: 1, brokenText: 2, number: 3, boolean: 4, bigint: 5, other: 6 } as const;

/** One column of the row at hand, in the scratch buffer. */
interface Cell {
  kind: number;
  start: number;
  end: number;
  /** Where the text goes on after its CWE tag. */
  afterTag: number;
  markers: number[];
  /** Used length of `markers`. */
  markerOffsets: number;
}

/**
 * Digests of a row's key at several levels at once: 128 bits of SHA-256 over the key columns, each with its kind and
 * length, so that no two different keys write the same bytes. Texts are never kept.
 */
export class RowKeys {
  /** The digest of level `l` is `digests[4 * l .. 4 * l + 3]` once {@link write} has seen a row. */
  readonly digests: Uint32Array;
  readonly #columns: readonly string[];
  readonly #strippings: readonly Stripping[];
  readonly #cells: Cell[];
  readonly #needMarkers: boolean;
  readonly #spans: TokenSpans = createTokenSpans();
  /** The row as it is; the row as a level sees it. */
  #plain = Buffer.allocUnsafe(1 << 16);
  #stripped = Buffer.allocUnsafe(1 << 16);

  constructor(columns: readonly string[], levels: readonly LevelOption[]) {
    this.#columns = columns;
    this.#strippings = levels.map(strippingOf);
    this.#cells = columns.map(() => ({ kind: 0, start: 0, end: 0, afterTag: 0, markers: [], markerOffsets: 0 }));
    this.#needMarkers = this.#strippings.some(({ markers }) => markers);
    this.digests = new Uint32Array(levels.length * digestWords);
  }

  write(row: Row): void {
    const end = this.#encode(row);
    // Room for every column as tokens with their separators, and for one more while its tokens are joined.
    const room = end * 4 + 5 * this.#cells.length;
    if (this.#stripped.length < room) this.#stripped = Buffer.allocUnsafe(room);
    const tagged = this.#cells.some((cell) => cell.afterTag > cell.start);
    const marked = this.#cells.some((cell) => cell.markerOffsets > 0);
    const done: number[] = []; // by what the level changes in this row: the first level that wrote that digest
    for (const [level, stripping] of this.#strippings.entries()) {
      const tag = stripping.tag && tagged;
      const markers = stripping.markers && marked;
      const effect = (tag ? 1 : 0) | (markers ? 2 : 0) | (stripping.layout ? 4 : 0);
      const same = done[effect];
      if (same === undefined) {
        done[effect] = level;
        this.#digest(level, tag, markers, stripping.layout);
      } else {
        this.digests.copyWithin(level * digestWords, same * digestWords, (same + 1) * digestWords);
      }
    }
  }

  #encode(row: Row): number {
    let at = 0;
    for (const [index, cell] of this.#cells.entries()) {
      const value = row[this.#columns[index]!];
      const text = textOf(value, cell);
      const room = at + text.length * 3;
      if (room > this.#plain.length) this.#plain = enlarged(this.#plain, room);
      cell.start = at;
      at += this.#plain.write(text, at, cell.kind === kinds.brokenText ? 'utf16le' : 'utf8');
      cell.end = at;
      cell.afterTag = cell.start;
      cell.markerOffsets = 0;
      if (cell.kind === kinds.text) {
        cell.afterTag += Buffer.byteLength(tagPrefix(text));
        if (this.#needMarkers) cell.markerOffsets = findMarkers(this.#plain, cell.start, cell.end, cell.markers);
      }
    }
    return at;
  }

  #digest(level: number, tag: boolean, markers: boolean, layout: boolean): void {
    const out = this.#stripped;
    let at = 0;
    for (const cell of this.#cells) {
      const head = at;
      at += 5;
      let from = tag ? cell.afterTag : cell.start;
      if (markers) {
        for (let span = 0; span < cell.markerOffsets; span += 2) {
          at = copy(this.#plain, from, cell.markers[span]!, out, at);
          from = Math.max(from, cell.markers[span + 1]!);
        }
      }
      at = copy(this.#plain, from, cell.end, out, at);
      if (layout && cell.kind === kinds.text) at = this.#joinTokens(head + 5, at);
      out[head] = cell.kind;
      out.writeUInt32LE(at - head - 5, head + 1);
    }
    const digest = hash('sha256', out.subarray(0, at), 'binary');
    const base = level * digestWords;
    for (let word = 0; word < digestWords; word++) {
      this.digests[base + word] =
        digest.charCodeAt(word * 4) |
        (digest.charCodeAt(word * 4 + 1) << 8) |
        (digest.charCodeAt(word * 4 + 2) << 16) |
        (digest.charCodeAt(word * 4 + 3) << 24);
    }
  }

  /** Replaces the text at `start..end` of the stripped row by its tokens, each followed by a zero byte. */
  #joinTokens(start: number, end: number): number {
    const spans = this.#spans;
    scanTokens(this.#stripped, start, end, spans);
    // The joined tokens may be longer than the text, so they are written behind it and moved to its place.
    const out = this.#stripped;
    let at = end;
    for (let token = 0; token < spans.count; token++) {
      for (let byte = spans.starts[token]!; byte < spans.ends[token]!; byte++) out[at++] = out[byte]!;
      out[at++] = 0;
    }
    out.copyWithin(start, end, at);
    return start + at - end;
  }
}

function textOf(value: unknown, cell: Cell): string {
  switch (typeof value) {
    case 'string':
      cell.kind = isWellFormed(value) ? kinds.text : kinds.brokenText;
      return value;
    case 'number':
      cell.kind = Number.isNaN(value) ? kinds.missing : kinds.number;
      return Number.isNaN(value) ? '' : String(value);
    case 'boolean':
      cell.kind = kinds.boolean;
      return String(value);
    case 'bigint':
      cell.kind = kinds.bigint;
      return String(value);
    default:
      if (value === null || value === undefined) {
        cell.kind = kinds.missing;
        return '';
      }
      cell.kind = kinds.other;
      return canonicalJson(value) ?? '';
  }
}

/** False for a text with half a surrogate pair, which UTF-8 cannot tell from another such text. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed(); // ES2024, in Node since 20.0
}

function copy(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  if (end > start) from.copy(to, at, start, end);
  return at + Math.max(0, end - start);
}

function enlarged(buffer: Buffer, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(size, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}

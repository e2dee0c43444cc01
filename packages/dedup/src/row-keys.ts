import { hash } from 'node:crypto';
import { cellKind, cellKinds, cellText } from './cell-text.js';
import { digestWords } from './digest-table.js';
import { type LevelOption, strippingOf } from './levels.js';
import type { Row } from './rows.js';
import { findMarkers, tagPrefix } from './strip.js';
import { createTokenSpans, joinTokens } from './tokens.js';

/** One column of the row at hand, in the buffer of plain texts. */
interface Cell {
  kind: number;
  start: number;
  end: number;
  /** The CWE tag in front and where the text goes on after it. */
  tag: string;
  afterTag: number;
  /** Pairs of offsets, of which `markerOffsets` numbers are in use. */
  markers: number[];
  markerOffsets: number;
}

/** What a level hashes: the text without markers, the tokens of that, or the tokens with markers among them. */
type Body = 'text' | 'tokens' | 'marked-tokens';

/** Bytes before each column's content: its kind and its length, so that no two different keys write the same bytes. */
const headBytes = 5;
const maxKnownTags = 10_000;

/**
 * Digests of a row's key at several levels at once, 128 bits of SHA-256 each. Texts are never kept.
 *
 * A row falls into three parts: its CWE tags, its bug markers with their places, and the body that is left. Each is
 * hashed once, and a level's digest is the sum, word by word, of the parts it looks at: four levels for little more than
 * the cost of one.
 */
export class RowKeys {
  /** The digest of level `l` is `digests[4 * l .. 4 * l + 3]` once {@link write} has seen a row. */
  readonly digests: Uint32Array;
  readonly #columns: readonly string[];
  readonly #levels: { tags: boolean; markers: boolean; body: Body }[];
  readonly #cells: Cell[];
  readonly #spans = createTokenSpans();
  readonly #part = new Uint32Array(digestWords);
  readonly #knownTags = new Map<string, Uint32Array>();
  /** The row as it is; the part to be hashed. */
  #plain = Buffer.allocUnsafe(1 << 16);
  #out = Buffer.allocUnsafe(1 << 16);

  constructor(columns: readonly string[], levels: readonly LevelOption[]) {
    this.#columns = columns;
    this.#levels = levels.map(strippingOf).map(({ tag, markers, layout }) => ({
      tags: !tag,
      markers: !markers && !layout,
      body: layout ? (markers ? 'tokens' : 'marked-tokens') : 'text',
    }));
    this.#cells = columns.map(() => ({
      kind: 0,
      start: 0,
      end: 0,
      tag: '',
      afterTag: 0,
      markers: [],
      markerOffsets: 0,
    }));
    this.digests = new Uint32Array(levels.length * digestWords);
  }

  write(row: Row): void {
    const end = this.#encode(row);
    // Room for every column as tokens with their separators, and for one more while its tokens are joined; its markers
    // with their places take less.
    const room = end * 4 + headBytes * this.#cells.length;
    if (this.#out.length < room) this.#out = Buffer.allocUnsafe(room);
    this.digests.fill(0);
    for (const body of ['text', 'tokens', 'marked-tokens'] as const) {
      if (this.#levels.some((level) => level.body === body)) {
        this.#hashBody(body);
        this.#addPart((level) => level.body === body);
      }
    }
    if (this.#cells.some((cell) => cell.tag !== '')) {
      this.#hashTags();
      this.#addPart((level) => level.tags);
    }
    if (this.#cells.some((cell) => cell.markerOffsets > 0) && this.#levels.some((level) => level.markers)) {
      this.#hashMarkers();
      this.#addPart((level) => level.markers);
    }
  }

  #encode(row: Row): number {
    let at = 0;
    for (const [index, cell] of this.#cells.entries()) {
      const value = row[this.#columns[index]!];
      const text = cellText(value);
      const room = at + text.length * 3;
      if (room > this.#plain.length) this.#plain = enlarged(this.#plain, room);
      cell.kind = cellKind(value);
      cell.start = at;
      at += this.#plain.write(text, at, cell.kind === cellKinds.brokenText ? 'utf16le' : 'utf8');
      cell.end = at;
      const plain = cell.kind === cellKinds.text;
      cell.tag = plain ? tagPrefix(text) : '';
      cell.afterTag = cell.start + Buffer.byteLength(cell.tag);
      cell.markerOffsets = plain ? findMarkers(this.#plain, cell.afterTag, cell.end, cell.markers) : 0;
    }
    return at;
  }

  #hashBody(body: Body): void {
    const out = this.#out;
    let at = 0;
    for (const cell of this.#cells) {
      const start = at + headBytes;
      let end = start;
      let from = cell.afterTag;
      if (body !== 'marked-tokens') {
        for (let span = 0; span < cell.markerOffsets; span += 2) {
          end += this.#plain.copy(out, end, from, cell.markers[span]!);
          from = cell.markers[span + 1]!;
        }
      }
      end += this.#plain.copy(out, end, from, cell.end);
      if (body !== 'text' && cell.kind === cellKinds.text) end = joinTokens(out, start, end, this.#spans);
      out[at] = cell.kind;
      out.writeUInt32LE(end - start, at + 1);
      at = end;
    }
    this.#hash(at);
  }

  #hashTags(): void {
    const tags = this.#cells.map(({ tag }) => tag).join('\0');
    const known = this.#knownTags.get(tags);
    if (known) {
      this.#part.set(known);
      return;
    }
    const length = this.#out.write('tags\0') + this.#out.write(tags, 5);
    this.#hash(length);
    if (this.#knownTags.size < maxKnownTags) this.#knownTags.set(tags, this.#part.slice());
  }

  /** The markers with their places in the body: what the body lacks to be the text again. */
  #hashMarkers(): void {
    const out = this.#out;
    let at = out.write('markers\0');
    for (const [index, cell] of this.#cells.entries()) {
      for (let span = 0; span < cell.markerOffsets; span += 2) {
        const from = cell.markers[span]!;
        const to = cell.markers[span + 1]!;
        at = out.writeUInt32LE(index, at);
        at = out.writeUInt32LE(from - cell.afterTag, at);
        at = out.writeUInt32LE(to - from, at);
        at += this.#plain.copy(out, at, from, to);
      }
    }
    this.#hash(at);
  }

  #hash(length: number): void {
    const digest = hash('sha256', this.#out.subarray(0, length), 'binary');
    for (let word = 0; word < digestWords; word++) {
      const at = word * 4;
      this.#part[word] =
        digest.charCodeAt(at) |
        (digest.charCodeAt(at + 1) << 8) |
        (digest.charCodeAt(at + 2) << 16) |
        (digest.charCodeAt(at + 3) << 24);
    }
  }

  #addPart(looksAt: (level: { tags: boolean; markers: boolean; body: Body }) => boolean): void {
    for (const [index, level] of this.#levels.entries()) {
      if (!looksAt(level)) continue;
      for (let word = 0; word < digestWords; word++) this.digests[index * digestWords + word]! += this.#part[word]!;
    }
  }
}

function enlarged(buffer: Buffer, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(size, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}

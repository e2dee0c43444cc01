import { hash } from 'node:crypto';
import { cellKind, cellKinds, cellText } from './cell-text.js';
import { digestWords } from './digest-table.js';
import { type LevelOption, type Stripping, strippingOf } from './levels.js';
import type { Row } from './rows.js';
import { findMarkers, TagReader } from './strip.js';
import { createTokenSpans, joinTokens } from './tokens.js';

/** One column of the row at hand, in the buffer of plain texts. */
interface Cell {
  kind: number;
  /** Its text without the CWE tag. */
  start: number;
  end: number;
  tag: string;
  /** Pairs of offsets, of which `markerOffsets` numbers are in use. */
  markers: number[];
  markerOffsets: number;
}

/** What a level hashes: the text without markers, the tokens of that, or the tokens with markers among them. */
const bodies = ['text', 'tokens', 'marked-tokens'] as const;
type Body = (typeof bodies)[number];

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
  /** Numbers of the levels that look at each part. */
  readonly #bodyLevels: Readonly<Record<Body, readonly number[]>>;
  readonly #tagLevels: readonly number[];
  readonly #markerLevels: readonly number[];
  readonly #cells: Cell[];
  readonly #spans = createTokenSpans();
  readonly #part = new Uint32Array(digestWords);
  readonly #knownTags = new Map<string, Uint32Array>();
  #tagged = false;
  #marked = false;
  /** Markers are looked for only where some level leaves them out. */
  readonly #seekMarkers: boolean;
  readonly #tags = new TagReader();
  /** The row without its tags, each column behind its head; the part to be hashed, where that differs. */
  #plain = Buffer.allocUnsafe(1 << 16);
  #out = Buffer.allocUnsafe(1 << 16);

  constructor(columns: readonly string[], levels: readonly LevelOption[]) {
    this.#columns = columns;
    const strippings = levels.map(strippingOf);
    const bodyOf = ({ layout, markers }: Stripping): Body => (layout ? (markers ? 'tokens' : 'marked-tokens') : 'text');
    const where = (looks: (stripping: Stripping) => boolean) =>
      strippings.flatMap((stripping, level) => (looks(stripping) ? [level] : []));
    this.#bodyLevels = {
      text: where((stripping) => bodyOf(stripping) === 'text'),
      tokens: where((stripping) => bodyOf(stripping) === 'tokens'),
      'marked-tokens': where((stripping) => bodyOf(stripping) === 'marked-tokens'),
    };
    this.#tagLevels = where(({ tag }) => !tag);
    this.#seekMarkers = strippings.some(({ markers }) => markers);
    this.#markerLevels = where(({ markers, layout }) => !markers && !layout);
    this.#cells = columns.map(() => ({
      kind: 0,
      start: 0,
      end: 0,
      tag: '',
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
    for (const body of bodies) {
      const levels = this.#bodyLevels[body];
      if (levels.length === 0) continue;
      this.#hashBody(body, end);
      this.#addPart(levels);
    }
    if (this.#tagged && this.#tagLevels.length > 0) {
      this.#hashTags();
      this.#addPart(this.#tagLevels);
    }
    if (this.#marked && this.#markerLevels.length > 0) {
      this.#hashMarkers();
      this.#addPart(this.#markerLevels);
    }
  }

  #encode(row: Row): number {
    let at = 0;
    this.#tagged = false;
    this.#marked = false;
    for (let column = 0; column < this.#cells.length; column++) {
      const cell = this.#cells[column]!;
      const value = row[this.#columns[column]!];
      const text = cellText(value);
      const room = at + headBytes + text.length * 3;
      if (room > this.#plain.length) this.#plain = enlarged(this.#plain, room);
      cell.kind = cellKind(value);
      const isText = cell.kind === cellKinds.text;
      cell.tag = isText ? (this.#tags.read(text)?.prefix ?? '') : '';
      cell.start = at + headBytes;
      const rest = cell.tag === '' ? text : text.slice(cell.tag.length);
      cell.end =
        cell.start + this.#plain.write(rest, cell.start, cell.kind === cellKinds.brokenText ? 'utf16le' : 'utf8');
      writeHead(this.#plain, at, cell.kind, cell.end - cell.start);
      at = cell.end;
      cell.markerOffsets =
        isText && this.#seekMarkers ? findMarkers(this.#plain, cell.start, cell.end, cell.markers) : 0;
      if (cell.tag !== '') this.#tagged = true;
      if (cell.markerOffsets > 0) this.#marked = true;
    }
    return at;
  }

  #hashBody(body: Body, length: number): void {
    if (body === 'text' && !this.#marked) {
      this.#hash(this.#plain, length);
      return;
    }
    const out = this.#out;
    let at = 0;
    for (const cell of this.#cells) {
      const start = at + headBytes;
      let end = start;
      let from = cell.start;
      if (body !== 'marked-tokens') {
        for (let span = 0; span < cell.markerOffsets; span += 2) {
          end += this.#plain.copy(out, end, from, cell.markers[span]!);
          from = cell.markers[span + 1]!;
        }
      }
      end += this.#plain.copy(out, end, from, cell.end);
      if (body !== 'text' && cell.kind === cellKinds.text) end = joinTokens(out, start, end, this.#spans);
      writeHead(out, at, cell.kind, end - start);
      at = end;
    }
    this.#hash(out, at);
  }

  #hashTags(): void {
    const tags = this.#cells.map(({ tag }) => tag).join('\0');
    const known = this.#knownTags.get(tags);
    if (known) {
      this.#part.set(known);
      return;
    }
    const length = this.#out.write('tags\0') + this.#out.write(tags, 5);
    this.#hash(this.#out, length);
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
        at = out.writeUInt32LE(from - cell.start, at);
        at = out.writeUInt32LE(to - from, at);
        at += this.#plain.copy(out, at, from, to);
      }
    }
    this.#hash(out, at);
  }

  #hash(bytes: Buffer, length: number): void {
    const digest = hash('sha256', bytes.subarray(0, length), 'binary');
    for (let word = 0; word < digestWords; word++) {
      const at = word * 4;
      this.#part[word] =
        digest.charCodeAt(at) |
        (digest.charCodeAt(at + 1) << 8) |
        (digest.charCodeAt(at + 2) << 16) |
        (digest.charCodeAt(at + 3) << 24);
    }
  }

  #addPart(levels: readonly number[]): void {
    const { digests } = this;
    const part = this.#part;
    for (let index = 0; index < levels.length; index++) {
      const at = levels[index]! * digestWords;
      for (let word = 0; word < digestWords; word++) digests[at + word]! += part[word]!;
    }
  }
}

function writeHead(bytes: Buffer, at: number, kind: number, length: number): void {
  bytes[at] = kind;
  bytes[at + 1] = length;
  bytes[at + 2] = length >>> 8;
  bytes[at + 3] = length >>> 16;
  bytes[at + 4] = length >>> 24;
}

function enlarged(buffer: Buffer, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(size, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}

/** The leading CWE tag: any number of digits, and the two words NVD writes where it has no number. */
const leadingTag = /^\s*((?:NVD-)?CWE-(?:\d+|noinfo|Other))(?:\s+|$)/;

/** The CWE tag a text starts with, or `undefined`. */
export function tagOf(text: unknown): string | undefined {
  return typeof text === 'string' ? leadingTag.exec(text)?.[1] : undefined;
}

/** A leading CWE tag, and the text it takes up with the white space around it. */
export interface LeadingTag {
  tag: string;
  prefix: string;
}

/** Reads the tags of many texts: neighbours often have the same one, which is then not parsed again. */
export class TagReader {
  #last: LeadingTag | undefined;

  read(text: string): LeadingTag | undefined {
    const last = this.#last;
    if (last?.prefix.endsWith(' ') && text.startsWith(last.prefix)) {
      const next = text.charCodeAt(last.prefix.length);
      if (next > 0x20 && next < 0x7f) return last; // no white space that would belong to the prefix
    }
    const found = leadingTag.exec(text);
    if (!found) return undefined;
    this.#last = { tag: found[1]!, prefix: found[0] };
    return this.#last;
  }
}

/** Characters of the leading CWE tag and the white space around it, 0 where there is none. All of them ASCII or single units. */
export function tagPrefix(text: string): string {
  return leadingTag.exec(text)?.[0] ?? '';
}

/** The text without its leading CWE tag and the white space after it. */
export function stripTag(text: string): string {
  return text.slice(tagPrefix(text).length);
}

const markerEnd = Buffer.from('Bug>');
/** What comes before `Bug>`, the longer form first. */
const startHeads = ['<S2SV_Start', '<Start'].map((head) => Buffer.from(head));
const endHeads = ['<S2SV_End', '<End'].map((head) => Buffer.from(head));
const lastOfEnd = 0x64; // d
const space = 0x20;

/**
 * Where the bug markers lie (`<S2SV_StartBug>`, `<S2SV_EndBug>` or the paper's short forms), each with the one space
 * beside it that its insertion added: pairs of offsets in `into`, whose length is returned.
 */
export function findMarkers(bytes: Buffer, start: number, end: number, into: number[]): number {
  let length = 0;
  const text = bytes.subarray(0, end);
  for (let at = text.indexOf(markerEnd, start); at >= 0; at = text.indexOf(markerEnd, at + markerEnd.length)) {
    let to = at + markerEnd.length;
    let from = at - markerHead(text, start, at);
    if (from === at) continue;
    if (to < end && bytes[to] === space) to++;
    else if (from > start && bytes[from - 1] === space) from--;
    if (length > 0 && from < into[length - 1]!) from = into[length - 1]!;
    into[length++] = from;
    into[length++] = to;
  }
  return length;
}

/** Length of the marker's part that ends at `end`, 0 where there is none. */
function markerHead(text: Buffer, start: number, end: number): number {
  for (const head of text[end - 1] === lastOfEnd ? endHeads : startHeads) {
    const from = end - head.length;
    let same = 0;
    while (from >= start && same < head.length && text[from + same] === head[same]) same++;
    if (same === head.length) return same;
  }
  return 0;
}

/** The text without its bug markers: see {@link findMarkers}. */
export function stripMarkers(text: string): string {
  const bytes = Buffer.from(text);
  const spans: number[] = [];
  const length = findMarkers(bytes, 0, bytes.length, spans);
  const kept: Buffer[] = [];
  let from = 0;
  for (let span = 0; span < length; span += 2) {
    kept.push(bytes.subarray(from, spans[span]!));
    from = spans[span + 1]!;
  }
  return length === 0 ? text : Buffer.concat([...kept, bytes.subarray(from)]).toString();
}

/** The leading CWE tag: any number of digits, and the two words NVD writes where it has no number. */
const leadingTag = /^\s*((?:NVD-)?CWE-(?:\d+|noinfo|Other))(?:\s+|$)/;

/** The CWE tag a text starts with, or `undefined`. */
export function tagOf(text: unknown): string | undefined {
  return typeof text === 'string' ? leadingTag.exec(text)?.[1] : undefined;
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
const markers = ['<S2SV_StartBug>', '<S2SV_EndBug>', '<StartBug>', '<EndBug>'].map((marker) => Buffer.from(marker));
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
    const marker = markers.find((bytes) => to - bytes.length >= start && endsWith(text, to, bytes));
    if (!marker) continue;
    let from = to - marker.length;
    if (to < end && bytes[to] === space) to++;
    else if (from > start && bytes[from - 1] === space) from--;
    if (length > 0 && from < into[length - 1]!) from = into[length - 1]!;
    into[length++] = from;
    into[length++] = to;
  }
  return length;
}

function endsWith(text: Buffer, end: number, suffix: Buffer): boolean {
  return text.compare(suffix, 0, suffix.length, end - suffix.length, end) === 0;
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

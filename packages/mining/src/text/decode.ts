const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Windows-1252 from 0x80 to 0x9f, as the WHATWG Encoding Standard has it; all else is Latin-1. (Node's own decoder takes these for controls.) */
const windows1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

export interface Decoded {
  text: string;
  /** Set where the bytes are not valid UTF-8: each was read as Windows-1252. */
  decoding: string | undefined;
}

/** UTF-8 where the bytes are that, Windows-1252 otherwise (a superset of printable Latin-1 in which every byte means something). */
export function decodeText(bytes: Buffer): Decoded {
  try {
    return { text: utf8.decode(bytes), decoding: undefined };
  } catch {
    const text = bytes
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80]!);
    return { text, decoding: 'windows-1252' };
  }
}

/** A path as text: bytes that are not part of valid UTF-8 become `\xNN`. */
export function decodePath(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    let text = '';
    for (let i = 0; i < bytes.length; ) {
      const length = sequenceLength(bytes, i);
      if (length > 0) text += bytes.toString('utf8', i, i + length);
      else text += `\\x${bytes[i]!.toString(16).padStart(2, '0')}`;
      i += Math.max(1, length);
    }
    return text;
  }
}

/** Length of the valid UTF-8 sequence at an offset, 0 where there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    utf8.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

/** UTF-16 units of the characters that lie whole within the first `bytes` bytes of a text's UTF-8; a lone surrogate takes 3, as U+FFFD does. */
export function unitsWithin(text: string, bytes: number): number {
  if (Buffer.byteLength(text) === text.length) return Math.min(bytes, text.length); // ASCII throughout
  let left = bytes;
  let i = 0;
  while (i < text.length) {
    const code = text.codePointAt(i)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (left < 0) break;
    i += code < 0x10000 ? 1 : 2;
  }
  return i;
}

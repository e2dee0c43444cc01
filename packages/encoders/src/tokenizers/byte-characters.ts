/**
 * What stands for each of the 256 bytes in a byte-level vocabulary, as GPT-2 has it: printable Latin-1 characters for
 * themselves, the others from U+0100 on.
 */
export const byteCharacters: readonly string[] = (() => {
  const printable = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

/** GPT-2's characters for the 256 bytes: printable Latin-1 ones stand for themselves, the others for U+0100 and on. */
function byteCharacters(): string[] {
  const printable = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
}

const special = ['<s>', '<pad>', '</s>', '<unk>', '<mask>', '<encoder-only>'];
const merges = [
  ['i', 'n'],
  ['in', 't'],
  ['Ġ', 'Ġ'],
  ['ĠĠ', 'ĠĠ'],
  ['r', 'e'],
  ['re', 't'],
  ['Ġ', '='],
  ['e', 'r'],
] as const;

/** A whole byte-level BPE of 270 ids, so that tests need no published vocabulary. */
export const tinyVocabulary: Record<string, number> = Object.fromEntries(
  [...special, ...byteCharacters(), ...merges.map(([left, right]) => left + right)].map((token, id) => [token, id]),
);
export const tinyMerges = `#version: 0.2\n${merges.map((pair) => pair.join(' ')).join('\n')}\n`;

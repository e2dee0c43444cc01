import { byteCharacters } from '../src/tokenizers/byte-characters.js';

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
  [...special, ...byteCharacters, ...merges.map(([left, right]) => left + right)].map((token, id) => [token, id]),
);
export const tinyMerges = `#version: 0.2\n${merges.map((pair) => pair.join(' ')).join('\n')}\n`;

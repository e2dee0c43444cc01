import { decodeText } from '../text/decode.js';
import type { FunctionSpan } from './scanner-state.js';

const newline = 10;

export interface FunctionText {
  text: string;
  decoding: string | undefined;
}

/** The whole lines of a function, joined by `\n`; a carriage return at the end of a line is left out. */
export function functionText(bytes: Buffer, span: FunctionSpan): FunctionText {
  const start = span.start === 0 ? 0 : bytes.lastIndexOf(newline, span.start - 1) + 1;
  const found = bytes.indexOf(newline, span.end);
  const { text, decoding } = decodeText(bytes.subarray(start, found < 0 ? bytes.length : found));
  return { text: text.replace(/\r(?=\n|$)/g, ''), decoding };
}

/** A function's header with comments and preprocessor lines left out and white space collapsed. */
export function functionSignature(bytes: Buffer, span: FunctionSpan): string {
  return decodeText(bytes.subarray(span.start, span.body))
    .text.replace(
      /("(?:\\.|[^"\\\n])*")|\/\*[\s\S]*?\*\/|\/\/(?:\\\r?\n|.)*|^[ \t]*#(?:\\\r?\n|.)*/gm,
      (_match, literal?: string) => literal ?? ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();
}

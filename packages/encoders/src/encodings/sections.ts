import type { MarkEscaper } from '../marks.js';

/** The texts under two header lines, in the headers' order and unescaped. No source line equals a header: it would be escaped. */
export function recoverSections(
  text: string,
  [first, second]: readonly [string, string],
  escaper: MarkEscaper,
): [string, string] {
  const lines = text.split('\n');
  const boundary = lines.indexOf(second);
  const join = (part: string[]): string => escaper.unescape(part.join('\n'));
  return [join(lines.slice(lines[0] === first ? 1 : 0, boundary)), join(lines.slice(boundary + 1))];
}

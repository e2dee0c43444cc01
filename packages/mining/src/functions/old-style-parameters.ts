import { closeParen, openParen, semicolon } from './character-codes.js';
import { type HeaderTokens, tokenKind } from './header-tokens.js';

/** In `f(a, b) int a; char *b; {` the `;` ends the declaration of a parameter, not of the function. */
export function awaitsOldStyleBody(header: HeaderTokens, bytes: Buffer): boolean {
  const { kinds, starts, ends, count } = header;
  let open = 0;
  while (open < count && kinds[open] !== openParen) open++;
  if (open === 0 || open >= count || kinds[open - 1] !== tokenKind.identifier) return false;
  const names: string[] = [];
  let close = open + 1;
  for (; close < count && kinds[close] !== closeParen; close++) {
    if ((close - open) % 2 === 1) {
      if (kinds[close] !== tokenKind.identifier) return false;
      names.push(bytes.toString('latin1', starts[close]!, ends[close]!));
    } else if (kinds[close] !== 44) return false;
  }
  if (names.length === 0 || close + 2 >= count) return false;
  let from = close + 1;
  for (let i = close + 1; i < count; i++) if (kinds[i] === semicolon) from = i + 1;
  // each declarator of the last declaration must name a parameter
  let named = false;
  for (let i = from; i < count; i++) {
    if (kinds[i] === 61) return false;
    const ends_ = i + 1 === count || kinds[i + 1] === 44 || kinds[i + 1] === 91 || kinds[i + 1] === closeParen;
    if (kinds[i] !== tokenKind.identifier || !ends_ || i === from) continue;
    if (!names.includes(bytes.toString('latin1', starts[i]!, ends[i]!))) return false;
    named = true;
    while (kinds[i + 1] === closeParen || kinds[i + 1] === 91) {
      let depth = 0;
      do {
        i++;
        if (kinds[i] === openParen || kinds[i] === 91) depth++;
        else if (kinds[i] === closeParen || kinds[i] === 93) depth--;
      } while (i + 1 < count && (depth > 0 || kinds[i + 1] === openParen));
    }
  }
  return named;
}

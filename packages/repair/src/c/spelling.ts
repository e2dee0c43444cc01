import { blank } from '../format/special-tokens.js';

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const unescapes: Record<string, string> = { '\\': '\\', n: '\n', r: '\r', t: '\t', "'": "'", '"': '"' };

/**
 * A token as the published data spells it: blanks as `<S2SV_blank>`, then as Python's `repr` writes a string, without
 * its quotes. So a backslash is doubled, what cannot be printed is escaped, and `'` is escaped next to a `"`.
 */
export function spellToken(token: string): string {
  const escapeQuote = token.includes("'") && token.includes('"');
  return token.replaceAll(' ', blank).replaceAll(/[\\']|[\p{C}\p{Z}]/gu, (character) => {
    if (character === "'") return escapeQuote ? "\\'" : character;
    const known = escapes[character];
    if (known) return known;
    const code = character.codePointAt(0)!;
    if (code < 0x100) return `\\x${hex(code, 2)}`;
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
}

/** The token that {@link spellToken} spelled so; what is no escape of its stays as it is. */
export function readSpelling(spelled: string): string {
  return spelled
    .replaceAll(
      /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00(?:0[0-9a-f]|10)[0-9a-f]{4})|([\\nrt'"]))/g,
      (_all, ...groups) => {
        const [x, u, long, simple] = groups as (string | undefined)[];
        return simple ? unescapes[simple]! : String.fromCodePoint(Number.parseInt((x ?? u ?? long)!, 16));
      },
    )
    .replaceAll(blank, ' ');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** The bytes that have a meaning of their own in C and C++. */
export const [newline, backslash, slash, quote, apostrophe, hash, space, tab, carriageReturn] = [
  10, 92, 47, 34, 39, 35, 32, 9, 13,
] as const;
export const [openBrace, closeBrace, openParen, closeParen, semicolon, colon, star, zero, nine] = [
  123, 125, 40, 41, 59, 58, 42, 48, 57,
] as const;
export const [openBracket, closeBracket, less, greater, equals, comma, ampersand, tilde, caret] = [
  91, 93, 60, 62, 61, 44, 38, 126, 94,
] as const;

/** 1 for each byte that an identifier or number may hold; all that are not ASCII are taken for letters. */
export const isWord = new Uint8Array(256);
for (let i = 0; i < 256; i++) isWord[i] = /[\w$]/.test(String.fromCharCode(i)) || i >= 128 ? 1 : 0;

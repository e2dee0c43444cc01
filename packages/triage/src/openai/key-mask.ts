/** The shortest key that is looked for. */
const leastLength = 16;

/**
 * Takes a key out of a server's words, which some servers repeat. A key shorter than 16 characters, or one that is a plain
 * word, is not looked for: `token` or `vector` stands in many an answer that has nothing to do with the key.
 *
 * Only for words: text that is still to be parsed could lose its form.
 */
export function keyMask(key: string | undefined): (text: string) => string {
  const secret = key?.trim() ?? '';
  const isWord = secret.length < leastLength || /^[A-Za-z]?([a-z]*|[A-Z]*)$/.test(secret);
  return isWord ? (text) => text : (text) => text.replaceAll(secret, '[key]');
}

/** A JSON value with its strings masked; names of members stay. */
export function maskStrings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((element) => maskStrings(element, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskStrings(member, mask)]));
}

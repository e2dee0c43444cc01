import { createHash } from 'node:crypto';

/** JSON with object keys in code-unit order at every level and `undefined` members left out: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  );
}

/** SHA-256 of the bytes, or of the UTF-8 of a text: 64 lower-case hex digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * SHA-256 of a value's {@link canonicalJson}. Lists are hashed member by member: the text of a large data set would be longer
 * than a string may be.
 */
export function digestOf(value: unknown): string {
  const hash = createHash('sha256');
  const add = (part: unknown): void => {
    if (!Array.isArray(part)) {
      hash.update(canonicalJson(part) ?? 'null');
      return;
    }
    for (let index = 0; index < part.length; index++) {
      hash.update(index === 0 ? '[' : ',');
      add(part[index]);
    }
    hash.update(part.length === 0 ? '[]' : ']');
  };
  add(value);
  return hash.digest('hex');
}

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

/** SHA-256 of a value's {@link canonicalJson}. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

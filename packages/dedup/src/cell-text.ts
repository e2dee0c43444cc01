import { canonicalJson } from '@redef/core';

/** How a value is told apart from another whose text is the same. Missing values (null, undefined, NaN) are one. */
export const cellKinds = { missing: 0, text: 1, brokenText: 2, number: 3, boolean: 4, bigint: 5, other: 6 } as const;
export type CellKind = (typeof cellKinds)[keyof typeof cellKinds];

export function cellKind(value: unknown): CellKind {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value) ? cellKinds.text : cellKinds.brokenText;
    case 'number':
      return Number.isNaN(value) ? cellKinds.missing : cellKinds.number;
    case 'boolean':
      return cellKinds.boolean;
    case 'bigint':
      return cellKinds.bigint;
    default:
      return value === null || value === undefined ? cellKinds.missing : cellKinds.other;
  }
}

/** A value as text, empty where it is missing. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (cellKind(value) === cellKinds.missing) return '';
  return typeof value === 'object' ? canonicalJson(withoutBigints(value)) : String(value);
}

/** JSON has no integers beyond 2^53: they go in as objects, which no text is mistaken for. */
function withoutBigints(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? { bigint: String(member) } : member,
  );
  return JSON.parse(text ?? 'null'); // an object's own toJSON may give nothing
}

/** False for a text with half a surrogate pair, which UTF-8 cannot tell from another such text. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed(); // ES2024, in Node since 20.0
}

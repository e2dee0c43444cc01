/**
 * What a column of a Parquet file must hold, learnt from its values. `unknown` while all are null; `long` has integers
 * beyond 2^53 that a double would round; `digits` has integers beyond the 64 bits of Parquet, which are written as text.
 */
export type ColumnType =
  | { kind: 'unknown' | 'boolean' | 'integer' | 'long' | 'digits' | 'number' | 'text' | 'json' }
  | { kind: 'list'; of: ColumnType };

/** The narrowest type that holds a value, which must be of those that some format has a form for. */
export function typeOfValue(value: unknown): ColumnType {
  switch (typeof value) {
    case 'undefined':
      return { kind: 'unknown' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
      return { kind: Number.isSafeInteger(value) && !Object.is(value, -0) ? 'integer' : 'number' };
    case 'bigint':
      if (Number.isSafeInteger(Number(value))) return { kind: 'integer' };
      return { kind: BigInt.asIntN(64, value) === value ? 'long' : 'digits' };
    case 'string':
      return { kind: 'text' };
    default:
      if (value === null) return { kind: 'unknown' };
      if (value instanceof Date) return { kind: 'text' };
      return Array.isArray(value) ? listType(value) : { kind: 'json' };
  }
}

/** The narrowest type that holds all values of both; `undefined` where there is none. */
export function widen(a: ColumnType, b: ColumnType): ColumnType | undefined {
  if (a.kind === 'unknown') return b;
  if (b.kind === 'unknown') return a;
  if (a.kind === 'list' && b.kind === 'list') {
    const of = widen(a.of, b.of);
    return of === undefined ? { kind: 'json' } : { kind: 'list', of };
  }
  if (a.kind === b.kind) return a;
  return wider.find(({ of }) => of.includes(a.kind) && of.includes(b.kind))?.type;
}

const wider: { of: readonly ColumnType['kind'][]; type: ColumnType }[] = [
  { of: ['integer', 'number'], type: { kind: 'number' } },
  { of: ['integer', 'long'], type: { kind: 'long' } },
  { of: ['integer', 'long', 'digits'], type: { kind: 'digits' } },
  { of: ['json', 'list'], type: { kind: 'json' } },
];

/** As DuckDB names it. */
export function sqlType(type: ColumnType): string {
  switch (type.kind) {
    case 'boolean':
      return 'BOOLEAN';
    case 'integer':
    case 'long':
      return 'BIGINT';
    case 'number':
      return 'DOUBLE';
    case 'list':
      return `${sqlType(type.of)}[]`;
    default:
      return 'VARCHAR';
  }
}

/** A list of one scalar type, or JSON where its elements are of several types, lists or objects. */
function listType(values: readonly unknown[]): ColumnType {
  let of: ColumnType = { kind: 'unknown' };
  for (const value of values) {
    const both: ColumnType | undefined = widen(of, typeOfValue(value));
    if (both === undefined || both.kind === 'list' || both.kind === 'json') return { kind: 'json' };
    of = both;
  }
  return { kind: 'list', of };
}

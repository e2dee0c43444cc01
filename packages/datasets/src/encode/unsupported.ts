/**
 * What stands in a value, at any depth, that no format has a form for, and that JSON would drop or change without a word;
 * `undefined` where there is nothing of the kind.
 */
export function unsupported(value: unknown): string | undefined {
  try {
    return search(value);
  } catch (error) {
    if (error instanceof RangeError) return 'a value that holds itself, or is nested too deeply';
    throw error;
  }
}

function search(value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'a date that is none' : undefined;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes';
  if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return search(value.toJSON());
  for (const member of Object.values(value)) {
    const found = search(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

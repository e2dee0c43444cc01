/** The name that a mistyped one most likely was; `undefined` where none is near. */
export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const edits = editsBetween(typed, name);
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** Levenshtein's distance: characters put in, taken out or replaced. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** The names of all members that a schema of Valibot knows, at any depth. */
export function memberNames(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  if ('entries' in schema && typeof schema.entries === 'object' && schema.entries !== null) {
    for (const [name, member] of Object.entries(schema.entries)) {
      found.add(name);
      memberNames(member, found);
    }
  }
  for (const part of ['wrapped', 'item', 'options', 'pipe'] as const) {
    const inner: unknown = part in schema ? schema[part as keyof typeof schema] : undefined;
    for (const one of Array.isArray(inner) ? inner : [inner]) if (one !== schema) memberNames(one, found);
  }
  return found;
}

import type { PlacedRow } from './row.js';

/** Maps rows that come in batches; where one fails, those before it come first. */
export async function* mapRows(
  batches: AsyncIterable<readonly PlacedRow[]>,
  map: (placed: PlacedRow) => PlacedRow,
): AsyncGenerator<PlacedRow[], void, undefined> {
  for await (const batch of batches) {
    const mapped: PlacedRow[] = [];
    let failure: { error: unknown } | undefined;
    try {
      for (const placed of batch) mapped.push(map(placed));
    } catch (error) {
      failure = { error };
    }
    if (mapped.length > 0) yield mapped;
    if (failure) throw failure.error;
  }
}

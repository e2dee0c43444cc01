import { RedefError, type SplitName } from '@redef/core';
import type { Example } from '@redef/training';
import { readTable, tableInputs } from './folders.js';

/** Where the encoded rows, their labels and their splits lie. */
export interface ExampleFolders {
  encoded: string;
  labels: string;
  split: string;
}

/** The files that {@link readExamples} reads, as named inputs of a stage. */
export async function exampleInputs({ encoded, labels, split }: ExampleFolders): Promise<Record<string, string>> {
  return {
    ...(await tableInputs('encoded', encoded, 'encoded.jsonl')),
    ...(await tableInputs('labels', labels, 'labels.jsonl')),
    ...(await tableInputs('split', split, 'splits.jsonl')),
  };
}

/** What of an encoded row a model learns from, and the split that the row stands in. */
export interface SplitExample extends Example {
  split: SplitName;
  encoding: string;
  counterfactual?: string;
}

/**
 * Joins encoded rows with label and split, in the order of the encoded file; rows without a split are passed over.
 *
 * @throws `RedefError` `tables-differ` where a row of the split has no label
 */
export async function* readExamples(
  { encoded, labels, split }: ExampleFolders,
  options: { signal?: AbortSignal; splits?: readonly SplitName[] } = {},
): AsyncGenerator<SplitExample, void, undefined> {
  const { splits = ['train', 'validation', 'test'], ...read } = options;
  const splitOf = new Map<string, SplitName>();
  const splitFiles = Object.values(await tableInputs('split', split, 'splits.jsonl'));
  for await (const row of readTable('redef.split/1', splitFiles, read)) splitOf.set(row.id, row.split);
  const labelOf = new Map<string, 0 | 1>();
  const labelFiles = Object.values(await tableInputs('labels', labels, 'labels.jsonl'));
  for await (const { id, label } of readTable('redef.label/1', labelFiles, read)) {
    labelOf.set(id, label === 'defective' ? 1 : 0);
  }
  const encodedFiles = Object.values(await tableInputs('encoded', encoded, 'encoded.jsonl'));
  for await (const { id, input_ids, encoding, counterfactual } of readTable('redef.encoded/1', encodedFiles, read)) {
    const place = splitOf.get(id);
    if (!place || !splits.includes(place)) continue;
    const label = labelOf.get(id);
    if (label === undefined) {
      throw new RedefError(`${encoded}: ${id} stands in the split but has no label`, {
        code: 'tables-differ',
        remedy: 'Pass the labels that the split was made from.',
      });
    }
    yield {
      id,
      inputIds: input_ids,
      label,
      split: place,
      encoding,
      ...(counterfactual !== undefined && { counterfactual }),
    };
  }
}

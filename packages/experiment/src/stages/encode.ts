import { join } from 'node:path';
import { type CodeChange, createRng, type Encoded, RedefError, type SplitName } from '@redef/core';
import { writeJsonl } from '@redef/core/files';
import {
  type Budget,
  type ChangeText,
  type CounterfactualName,
  contextEncodings,
  counterfactualTraits,
  createCounterfactual,
  createEncoding,
  type EncodedChange,
  type Encoding,
  type EncodingName,
} from '@redef/encoders';
import { readTable, tableInputs } from '../folders.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface EncodeStageInput {
  /** Folder with changes.jsonl. */
  mined: string;
  /** Those of the folder to take. Default: every project that is there. */
  projects?: readonly string[];
  /** Folder with splits.jsonl: only what it names is encoded. */
  split: string;
  out: string;
  /**
   * An encoding, or a counterfactual with the encoding that shows it: default `diff-tags`; the paper's four have one each
   * and take no other. The manifest names an encoding that is passed as an object, and no more of it.
   */
  as: Shown | ({ counterfactual: CounterfactualName; seed: number } & Partial<Shown>);
  /** Unchanged lines around edits, for encodings by a name that show some. Default 3. */
  contextLines?: number;
  /** Tokenizer and most tokens of one input, special tokens included. */
  budget: Budget;
}

interface Shown {
  encoding: EncodingName | Encoding;
}

/** Whether the number of context lines decides anything. */
function showsContext(as: EncodeStageInput['as']): boolean {
  const encoding = 'counterfactual' in as ? counterfactualTraits(as.counterfactual, as.encoding).encoding : as.encoding;
  return contextEncodings.some((name) => name === encoding);
}

/** Donors of grafted edits: all are held in memory. */
const maxDonors = 1000;

/**
 * Writes `encoded.jsonl`, one row a change in the order of `changes.jsonl`. Memory holds ids and splits, no text; for
 * `grafted-edit` also up to 1,000 changes of the test split, the donors, drawn by the seed whatever their order.
 *
 * @throws `RedefError` `invalid-option` for an encoding that does not go with the counterfactual, or for too few donors;
 * `missing-changes` where the split names changes that are not there
 */
export async function encodeStage(input: EncodeStageInput, options: StageOptions = {}): Promise<StageResult> {
  const { mined, projects, split, out, as, budget, contextLines } = input;
  const { tokenizer, maxTokens } = budget;
  if ('counterfactual' in as) counterfactualTraits(as.counterfactual, as.encoding); // before anything is written
  const changeFiles = await tableInputs('mined', mined, 'changes.jsonl', projects);
  const splitFiles = await tableInputs('split', split, 'splits.jsonl');
  return runStage(
    {
      name: 'encode',
      folder: out,
      inputFiles: { ...changeFiles, ...splitFiles },
      config: {
        ...as,
        ...(as.encoding && { encoding: typeof as.encoding === 'object' ? as.encoding.name : as.encoding }),
        ...(contextLines !== undefined &&
          showsContext(as) && { context_lines: contextLines === Infinity ? 'all' : contextLines }),
        tokenizer: tokenizer.id,
        max_tokens: maxTokens,
      },
      run: async ({ signal, onEvent }) => {
        const read = signal ? { signal } : {};
        const splitOf = new Map<string, SplitName>();
        for await (const row of readTable('redef.split/1', Object.values(splitFiles), read))
          splitOf.set(row.id, row.split);
        const changes = (): AsyncIterable<CodeChange> => readTable('redef.change/1', Object.values(changeFiles), read);
        const { names, encode } = encoderOf(input, await donorsOf(as, splitOf, changes));
        const totals = {
          truncated: 0,
          tokens: 0,
          tokens_lost: 0,
          changed_lines: 0,
          changed_lines_shown: 0,
          changed_lines_kept: 0,
        };
        let done = 0;

        async function* rows(): AsyncGenerator<Encoded> {
          for await (const change of changes()) {
            const place = splitOf.get(change.id);
            if (!place) continue;
            const row = toRow(encode(change, place), { ...names, tokenizer: tokenizer.id, max_tokens: maxTokens });
            totals.truncated += row.tokens_lost > 0 ? 1 : 0;
            for (const name of [
              'tokens',
              'tokens_lost',
              'changed_lines',
              'changed_lines_shown',
              'changed_lines_kept',
            ] as const) {
              totals[name] += row[name];
            }
            yield row;
            done++;
            onEvent?.({ type: 'progress', stage: 'encode', done, total: splitOf.size, unit: 'changes' });
          }
          if (done < splitOf.size) throw missingChanges(splitOf.size - done, splitOf.size, mined);
        }
        const kept = await writeJsonl(join(out, 'encoded.jsonl'), rows(), read);
        return { outputs: ['encoded.jsonl'], counts: { in: splitOf.size, kept, dropped: {} }, details: totals };
      },
    },
    options,
  );
}

function missingChanges(missing: number, named: number, mined: string): RedefError {
  return new RedefError(`${missing} of the ${named} changes that the split names are not in ${mined}`, {
    code: 'missing-changes',
    remedy: 'Name the folder that the split was made from, or make the split again.',
  });
}

async function donorsOf(
  as: EncodeStageInput['as'],
  splitOf: ReadonlyMap<string, SplitName>,
  changes: () => AsyncIterable<CodeChange>,
): Promise<ChangeText[]> {
  if (!('counterfactual' in as) || as.counterfactual !== 'grafted-edit') return [];
  const rng = createRng(as.seed).fork('donors');
  const drawn = [...splitOf]
    .filter(([, split]) => split === 'test')
    .map(([id]) => ({ id, draw: rng.fork(id).next() }))
    .sort((a, b) => a.draw - b.draw || (a.id < b.id ? -1 : 1))
    .slice(0, maxDonors);
  const places = new Map(drawn.map(({ id }, place) => [id, place]));
  const donors: ChangeText[] = [];
  for await (const { id, function_before, function_after } of changes()) {
    if (places.has(id)) donors.push({ id, function_before, function_after });
  }
  return donors.sort((a, b) => places.get(a.id)! - places.get(b.id)!);
}

function encoderOf(
  { as, budget, contextLines }: EncodeStageInput,
  donors: readonly ChangeText[],
): {
  names: Pick<Encoded, 'encoding' | 'counterfactual'>;
  encode: (change: CodeChange, split: SplitName) => EncodedChange;
} {
  const context = contextLines === undefined ? {} : { contextLines };
  if (!('counterfactual' in as)) {
    const encoding = typeof as.encoding === 'object' ? as.encoding : createEncoding(as.encoding, context);
    return { names: { encoding: encoding.name }, encode: (change) => encoding.encode(change, budget) };
  }
  const { counterfactual: name, ...options } = as;
  const counterfactual = createCounterfactual(name, { ...options, ...context, donors });
  return {
    names: { encoding: counterfactual.encoding, counterfactual: counterfactual.name },
    encode: (change, split) => counterfactual.encode(change, budget, split),
  };
}

function toRow(
  encoded: EncodedChange,
  common: Pick<Encoded, 'encoding' | 'counterfactual' | 'tokenizer' | 'max_tokens'>,
): Encoded {
  return {
    schema: 'redef.encoded/1',
    id: encoded.id,
    ...common,
    input_ids: [...encoded.inputIds],
    tokens: encoded.tokens,
    tokens_lost: encoded.tokensLost,
    changed_lines: encoded.changedLines,
    changed_lines_shown: encoded.changedLinesShown,
    changed_lines_kept: encoded.changedLinesKept,
    escaped_marks: encoded.escapedMarks,
    ...(encoded.unmarkedEdits !== undefined && { unmarked_edits: encoded.unmarkedEdits }),
  };
}

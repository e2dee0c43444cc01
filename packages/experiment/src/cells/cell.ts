import { digestOf } from '@redef/core';
import * as v from 'valibot';
import { version } from '../version.js';

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'expected a SHA-256'));

/** What trains and predicts, by the name of its engine, with every option that decides its models. */
export const engineSpecSchema = v.object({
  engine: v.string(),
  options: v.record(v.string(), v.unknown()),
  /** Passes over the training split; absent for the engine's own number. */
  epochs: v.exactOptional(v.number()),
  /** Where training starts from: the digest is part of a cell's key, the folder is not. In a plan it is relative to the study's. */
  checkpoint: v.exactOptional(v.object({ folder: v.string(), digest: sha256 })),
});
export type EngineSpec = v.InferOutput<typeof engineSpecSchema>;

/**
 * One run of a study: a model trained with one seed and shown the test set one way (ReDef, section 3.2). A cell says
 * everything that a process needs to run it, whoever that process is, and nothing that only one machine knows but the
 * paths of `examples`.
 */
export const cellSchema = v.object({
  schema: v.literal('redef.cell/1'),
  /** {@link cellKey}: the name of its folder in the run store. */
  key: sha256,
  /** The model's name in this study; not part of the key. */
  model: v.string(),
  encoding: v.string(),
  /** What the examples are distorted by; absent in Stage 1. */
  counterfactual: v.exactOptional(v.string()),
  seed: v.number(),
  /** Which way of splitting, where a study has several: the project left out. */
  fold: v.exactOptional(v.string()),
  spec: engineSpecSchema,
  /** The cell whose model is shown these examples; absent where this cell trains a model of its own. That cell comes first. */
  uses: v.exactOptional(sha256),
  /** `fixed`: the engine's own, 0.5. `validation-f1`: the score at which F1 on the validation set is highest. */
  threshold: v.picklist(['fixed', 'validation-f1']),
  /** Folders with `encoded.jsonl`, `labels.jsonl` and `splits.jsonl`. In a plan they are relative to the study's folder. */
  examples: v.object({ encoded: v.string(), labels: v.string(), split: v.string() }),
  /** SHA-256 of those files. */
  inputs: v.record(v.string(), sha256),
});
export type Cell = v.InferOutput<typeof cellSchema>;

/** A digest of what decides a cell's results: two studies that ask for the same share it. */
export function cellKey(cell: Pick<Cell, 'spec' | 'seed' | 'uses' | 'threshold' | 'inputs'>): string {
  const { spec, seed, uses, threshold, inputs } = cell;
  const { checkpoint, ...engine } = spec;
  return digestOf({
    schema: 'redef.cell/1',
    version,
    spec: { ...engine, checkpoint: checkpoint?.digest },
    seed,
    uses,
    threshold,
    inputs,
  });
}

/** `diff-tags`, or `diff-tags+reversed-tags` under a counterfactual: the way the changes are shown. */
export function shownName({ encoding, counterfactual }: Pick<Cell, 'encoding' | 'counterfactual'>): string {
  return counterfactual === undefined ? encoding : `${encoding}+${counterfactual}`;
}

/** For people: `linear, diff-tags+reversed-tags, seed 12345, without redis`. */
export function cellTitle(cell: Pick<Cell, 'model' | 'encoding' | 'counterfactual' | 'seed' | 'fold'>): string {
  const fold = cell.fold === undefined ? '' : `, without ${cell.fold}`;
  return `${cell.model}, ${shownName(cell)}, seed ${cell.seed}${fold}`;
}

import type { Graph, Tensor, Variables } from '@redef/autodiff';
import { createRng, RedefError, type Rng } from '@redef/core';
import type { Checkpoint, CheckpointTensor } from './checkpoint.js';
import { findName, isAddedByFineTuning } from './names.js';
import { corrupt } from './stored-tensor.js';

export interface LoadWeightsOptions {
  /** Where the first values of what the checkpoint lacks come from. Default: seed 0. */
  rng?: Rng;
  /** Which parameters may be missing and then start anew. Default: classification heads and RoBERTa's decoder. */
  mayBeMissing?: (parameter: Tensor) => boolean;
}

/** What became of the parameters of the model and the tensors of the checkpoint. */
export interface LoadReport {
  loaded: string[];
  /** Missing in the checkpoint, initialized from the seed. */
  initialized: string[];
  /** Word embeddings that were cut or got new rows, with their numbers of rows in the checkpoint and in the model. */
  resized: { name: string; from: number; to: number }[];
  /** Tensors of the checkpoint that the model does not use: a language model head, a pooler. */
  surplus: string[];
}

/**
 * Sets the parameters of a model's graph from a checkpoint. Word embeddings of another number of rows are resized: rows
 * of added tokens are drawn, seeded, from a normal distribution with the mean and deviation of the table at hand.
 *
 * @throws `RedefError` `weights-mismatch`, which lists every missing name, unequal shape and type that is no float; no
 * variable is set then. `corrupt-weights` where a tensor holds what is no finite number; it and those after it are not set
 */
export async function loadWeights(
  graph: Graph,
  variables: Variables,
  checkpoint: Checkpoint,
  { rng = createRng(0), mayBeMissing = isAddedByFineTuning }: LoadWeightsOptions = {},
): Promise<LoadReport> {
  const report: LoadReport = { loaded: [], initialized: [], resized: [], surplus: [] };
  const used = new Set<string>();
  const problems: string[] = [];
  const sources = new Map<Tensor, CheckpointTensor | undefined>();
  for (const parameter of graph.parameters) {
    const name = findName(parameter.name, (candidate) => checkpoint.tensors.has(candidate));
    const tensor = name === undefined ? undefined : checkpoint.tensors.get(name)!;
    if (name !== undefined) used.add(name);
    if (!tensor && !mayBeMissing(parameter)) problems.push(`missing: ${parameter.name}`);
    if (tensor && !fits(parameter, tensor)) {
      problems.push(`${name} is [${tensor.shape.join(', ')}], the model has [${parameter.shape.join(', ')}]`);
    }
    if (tensor && !isFloat(tensor)) problems.push(`${name} is ${tensor.dtype}, the model has floating-point weights`);
    sources.set(parameter, tensor);
  }
  if (problems.length > 0) throw mismatch(problems);

  for (const [parameter, tensor] of sources) {
    const { name, shape } = parameter;
    const own = rng.fork(name);
    if (!tensor) {
      const source = graph.sourceOf(parameter);
      if (source.kind === 'variable') variables.set(parameter, source.initialize(shape, own));
      report.initialized.push(name);
      continue;
    }
    const values = await readWeight(name, tensor);
    const [from, to] = [tensor.shape[0] ?? 0, shape[0] ?? 0];
    if (from === to) {
      report.loaded.push(name);
    } else {
      report.resized.push({ name, from, to });
    }
    variables.set(parameter, from === to ? values : resizeRows(values, shape as [number, number], own));
  }
  report.surplus = [...checkpoint.tensors.keys()].filter((name) => !used.has(name));
  return report;
}

/** @throws `RedefError` `corrupt-weights` where a value is no finite number */
export async function readWeight(name: string, tensor: CheckpointTensor): Promise<Float32Array> {
  const values = await tensor.read();
  for (let position = 0; position < values.length; position++) {
    if (Number.isFinite(values[position])) continue;
    throw corrupt(name, `the weight at position ${position} is ${values[position]}`);
  }
  return values;
}

/** Keeps the rows that there are and draws the others. */
export function resizeRows(table: Float32Array, [rows, features]: readonly [number, number], rng: Rng): Float32Array {
  const resized = new Float32Array(rows * features);
  resized.set(table.subarray(0, resized.length));
  const mean = table.reduce((sum, value) => sum + value, 0) / table.length;
  const variance = table.reduce((sum, value) => sum + (value - mean) ** 2, 0) / table.length;
  for (let index = table.length; index < resized.length; index++) {
    resized[index] = mean + Math.sqrt(variance) * rng.normal();
  }
  return resized;
}

const wordEmbeddings = /(^|\.)(word_embeddings|shared|lm_head)\.weight$/;

function isFloat({ dtype }: CheckpointTensor): boolean {
  return /float/.test(dtype);
}

function fits({ name, shape }: Tensor, tensor: CheckpointTensor): boolean {
  const from = wordEmbeddings.test(name) ? 1 : 0;
  return (
    shape.length === tensor.shape.length && shape.slice(from).every((size, axis) => size === tensor.shape[axis + from])
  );
}

function mismatch(problems: readonly string[]): RedefError {
  const shown = problems.slice(0, 8).join('; ');
  const more = problems.length > 8 ? `; and ${problems.length - 8} more` : '';
  return new RedefError(`The checkpoint does not fit the model: ${shown}${more}`, {
    code: 'weights-mismatch',
    remedy: 'Build the model from the config.json that lies beside the weights.',
  });
}

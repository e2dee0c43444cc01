import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Graph, Variables } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import { openCheckpoint, readWeight, writeSafetensors } from '@redef/models';
import * as v from 'valibot';
import { isLoraWeight, type Lora } from './lora.js';

// The layout of the Python library peft: adapter_config.json and adapter_model.safetensors.

const configFile = 'adapter_config.json';
const weightsFile = 'adapter_model.safetensors';
/** What peft puts before the names of the model it wraps. */
const prefix = 'base_model.model.';

const size = v.pipe(v.number(), v.integer(), v.minValue(1));
const configSchema = v.object({
  peft_type: v.literal('LORA'),
  base_model_name_or_path: v.nullish(v.string()),
  r: size,
  lora_alpha: v.pipe(v.number(), v.finite()),
  target_modules: v.array(v.string()),
  modules_to_save: v.nullish(v.array(v.string())),
  bias: v.optional(v.literal('none')),
  use_rslora: v.optional(v.literal(false)),
  use_dora: v.optional(v.literal(false)),
  fan_in_fan_out: v.optional(v.literal(false)),
  use_qalora: v.optional(v.literal(false)),
  lora_bias: v.optional(v.literal(false)),
  layers_to_transform: v.nullish(v.never()),
  layer_replication: v.nullish(v.never()),
  exclude_modules: v.nullish(v.never()),
  target_parameters: v.nullish(v.never()),
  trainable_token_indices: v.nullish(v.never()),
  alora_invocation_tokens: v.nullish(v.never()),
  rank_pattern: v.nullish(v.strictObject({})),
  alpha_pattern: v.nullish(v.strictObject({})),
});

/** @returns the paths written */
export async function saveAdapter(
  folder: string,
  { lora, base, variables, names }: { lora: Lora; base: string; variables: Variables; names: readonly string[] },
): Promise<string[]> {
  const tensors = names.map((name) => ({
    name: `${prefix}${name}`,
    shape: variables.get(name).shape,
    read: async () => (await variables.read(name)) as Float32Array,
  }));
  await writeSafetensors(join(folder, weightsFile), tensors, { maxShardBytes: Number.POSITIVE_INFINITY });
  const config: v.InferOutput<typeof configSchema> & Record<string, unknown> = {
    peft_type: 'LORA',
    task_type: 'SEQ_CLS',
    base_model_name_or_path: base,
    r: lora.rank,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    target_modules: [...lora.targets],
    modules_to_save: [...lora.modulesToSave],
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
  };
  await writeFileAtomic(join(folder, configFile), `${JSON.stringify(config, null, 2)}\n`);
  return [join(folder, configFile), join(folder, weightsFile)];
}

/** The adapter of a folder; `undefined` where there is none. @throws `RedefError` `unsupported-adapter` */
export async function readAdapter(folder: string): Promise<(Lora & { base: string | undefined }) | undefined> {
  const path = join(folder, configFile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), configSchema), text);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new RedefError(`${path}: ${v.getDotPath(issue) ?? 'file'}: ${issue.message}`, {
      code: 'unsupported-adapter',
      remedy: 'Use a LoRA adapter with one rank for all layers, without bias, rank-stabilized scaling or DoRA.',
    });
  }
  const { r, lora_alpha, target_modules, modules_to_save, base_model_name_or_path } = parsed.output;
  return {
    rank: r,
    alpha: lora_alpha,
    targets: target_modules,
    modulesToSave: modules_to_save ?? [],
    base: base_model_name_or_path ?? undefined,
  };
}

/** Sets the variables to an adapter's weights. @throws `RedefError` `weights-mismatch` where it is not the graph's */
export async function loadAdapter(folder: string, graph: Graph, variables: Variables): Promise<void> {
  const checkpoint = await openCheckpoint(join(folder, weightsFile));
  try {
    const parameters = new Map(graph.parameters.map((parameter) => [`${prefix}${parameter.name}`, parameter]));
    const missing = [...parameters.keys()].filter((name) => isLoraWeight(name) && !checkpoint.tensors.has(name));
    const problems = missing.map((name) => `missing: ${name}`);
    for (const [name, { shape }] of checkpoint.tensors) {
      const parameter = parameters.get(name);
      if (!parameter) problems.push(`surplus: ${name}`);
      else if (String(shape) !== String(parameter.shape)) {
        problems.push(`${name} is [${shape.join(', ')}], the model has [${parameter.shape.join(', ')}]`);
      }
    }
    if (problems.length > 0) {
      throw new RedefError(`${folder}: the adapter does not fit the model: ${problems.slice(0, 8).join('; ')}`, {
        code: 'weights-mismatch',
        remedy: 'Use the base model that adapter_config.json names.',
      });
    }
    for (const [name, tensor] of checkpoint.tensors)
      variables.set(parameters.get(name)!, await readWeight(name, tensor));
  } finally {
    await checkpoint.close();
  }
}

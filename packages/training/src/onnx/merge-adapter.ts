import { createOnnxRuntimeDriver, type TypedArray, Variables } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { readConfig, saveWeights } from '@redef/models';
import { anyGraph } from './model-folder.js';
import { loadBase } from './model-source.js';
import { loadAdapter, readAdapter } from './peft.js';

/**
 * Adds an adapter's low-rank products to the weights of its base and writes the sum as a model of its own.
 *
 * @param folders.adapter as the engine wrote it, with `config.json`
 * @param folders.base the checkpoint it was trained from
 * @returns the paths written into `folders.out`
 * @throws `RedefError` `file-missing`, `unsupported-adapter`, `weights-mismatch`
 */
export async function mergeAdapter(folders: { adapter: string; base: string; out: string }): Promise<string[]> {
  const config = await readConfig(folders.adapter);
  const lora = await readAdapter(folders.adapter);
  if (!lora) {
    throw new RedefError(`${folders.adapter}: there is no adapter_config.json`, {
      code: 'file-missing',
      remedy: 'Name a folder that was written by training with LoRA.',
    });
  }
  const variables = new Variables(createOnnxRuntimeDriver());
  await loadBase(folders.base, config, variables);
  await loadAdapter(folders.adapter, anyGraph({ config, lora }), variables);
  const merged = anyGraph({ config });
  for (const weight of merged.parameters) {
    const layer = weight.name.replace(/\.weight$/, '');
    if (!variables.has(`${layer}.lora_A.weight`)) continue;
    const down = await variables.read(`${layer}.lora_A.weight`); // (rank, inputs)
    const up = await variables.read(`${layer}.lora_B.weight`); // (outputs, rank)
    const sum = Float64Array.from((await variables.read(weight.name)) as Float32Array);
    addProduct(sum, up, down, lora);
    variables.set(weight, sum);
  }
  return saveWeights(folders.out, merged, variables, config);
}

function addProduct(
  sum: Float64Array,
  up: TypedArray,
  down: TypedArray,
  { rank, alpha }: { rank: number; alpha: number },
): void {
  const inputs = down.length / rank;
  for (let row = 0; row * inputs < sum.length; row++) {
    for (let k = 0; k < rank; k++) {
      const factor = (alpha / rank) * Number(up[row * rank + k]);
      for (let column = 0; column < inputs; column++) {
        sum[row * inputs + column]! += factor * Number(down[k * inputs + column]);
      }
    }
  }
}

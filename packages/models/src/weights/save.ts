import { join } from 'node:path';
import type { Graph, Variables } from '@redef/autodiff';
import { writeFileAtomic } from '@redef/core/files';
import type { ModelConfig } from '../config.js';
import { writeSafetensors } from './safetensors.js';

/**
 * Writes a model's weights as `model.safetensors` (in parts above 5 GB) and its `config.json` into a folder, from where
 * {@link openCheckpoint} and Python libraries read them.
 *
 * @returns the paths written
 */
export async function saveWeights(
  folder: string,
  graph: Graph,
  variables: Variables,
  config: ModelConfig,
  options: { maxShardBytes?: number } = {},
): Promise<string[]> {
  const tensors = graph.parameters.map(({ name, shape }) => ({
    name,
    shape,
    read: async () => Float32Array.from((await variables.read(name)) as Float32Array),
  }));
  const paths = await writeSafetensors(join(folder, 'model.safetensors'), tensors, options);
  const configPath = join(folder, 'config.json');
  await writeFileAtomic(configPath, `${JSON.stringify(config, null, 2)}\n`);
  return [configPath, ...paths];
}

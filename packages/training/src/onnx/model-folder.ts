import { join } from 'node:path';
import type { Graph, Variables } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { writeFileAtomic } from '@redef/core/files';
import { readConfig, saveWeights } from '@redef/models';
import { buildClassifier, type Classifier } from './classifier.js';
import { isLoraWeight, isSaved } from './lora.js';
import { loadBase, loadWhole, type ModelSource, openModel } from './model-source.js';
import { loadAdapter, readAdapter, saveAdapter } from './peft.js';

/** The graph of one short input: what parameters the classifier has. */
export function anyGraph(classifier: Classifier): Graph {
  return buildClassifier(classifier, { rows: 1, lengths: [8] }, { training: false }).graph;
}

/**
 * Writes a trained classifier: its weights, or with LoRA the adapter alone.
 *
 * @param drawn weights that the base has not, in whole or in part: an adapter holds them as well
 * @returns the paths written
 */
export async function saveClassifier(
  folder: string,
  classifier: Classifier,
  variables: Variables,
  { base, drawn }: { base: string; drawn: readonly string[] },
): Promise<string[]> {
  const { config, lora } = classifier;
  const graph = anyGraph(classifier);
  if (!lora) return saveWeights(folder, graph, variables, config);
  const names = graph.parameters
    .map(({ name }) => name)
    .filter((name) => isLoraWeight(name) || isSaved(name, lora) || drawn.includes(name));
  const configPath = join(folder, 'config.json');
  await writeFileAtomic(configPath, `${JSON.stringify(config, null, 2)}\n`);
  return [configPath, ...(await saveAdapter(folder, { lora, base, variables, names }))];
}

/**
 * Sets the variables to a classifier that {@link saveClassifier} wrote.
 *
 * @param source of an adapter's base; default: the folder that the adapter names
 */
export async function loadClassifier(
  folder: string,
  variables: Variables,
  source: ModelSource | undefined,
): Promise<Classifier> {
  const config = await readConfig(folder);
  const lora = await readAdapter(folder);
  if (!lora) {
    await loadWhole(folder, config, variables);
    return { config };
  }
  const base = await openModel(source ?? { checkpoint: lora.base ?? '' });
  if (base.folder === undefined) {
    throw new RedefError(`${folder} is an adapter, but the engine's model has no weights to adapt`, {
      code: 'invalid-option',
      remedy: `Create the engine with the model it was trained from: ${lora.base ?? 'not named'}.`,
    });
  }
  await loadBase(base.folder, config, variables);
  await loadAdapter(folder, anyGraph({ config, lora }), variables);
  return { config, lora };
}

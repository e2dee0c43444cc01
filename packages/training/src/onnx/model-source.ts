import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Variables } from '@redef/autodiff';
import { digestOf, type Rng, type RunOptions } from '@redef/core';
import { digestFile } from '@redef/core/files';
import {
  type LoadReport,
  type LoadWeightsOptions,
  loadWeights,
  type ModelConfig,
  openCheckpoint,
  parseConfig,
  readConfig,
} from '@redef/models';
import type { DownloadModelOptions } from '@redef/models/hub';
import { buildClassifier } from './classifier.js';

/** Where a model starts from. */
export type ModelSource =
  /** A folder with `config.json` and weights. */
  | { checkpoint: string }
  /** A model on the hub, downloaded once. */
  | { hub: Omit<DownloadModelOptions, 'signal' | 'onEvent'> }
  /** The members of a `config.json`: weights are drawn from the seed. */
  | { config: Record<string, unknown> };

/** As manifests tell it: without access tokens and functions. */
export function describeSource(source: ModelSource): unknown {
  return 'hub' in source ? { hub: source.hub.repo, revision: source.hub.revision ?? 'main' } : source;
}

/** As an adapter names its base. */
export function nameOf(source: ModelSource): string {
  if ('hub' in source) return source.hub.repo;
  return 'checkpoint' in source ? source.checkpoint : '';
}

export interface OpenModel {
  config: ModelConfig;
  /** The folder of the weights; absent where they are drawn. */
  folder?: string;
  /** Digest of configuration and weights. */
  identity: string;
}

/**
 * Reads a model's configuration and, from the hub, downloads it.
 *
 * @throws `RedefError` `file-missing`, `unsupported-model`, and what `downloadModel` throws
 */
export async function openModel(source: ModelSource, { signal, onEvent }: RunOptions = {}): Promise<OpenModel> {
  if ('config' in source) {
    const config = parseConfig(source.config, 'model.config');
    return { config, identity: digestOf(config) };
  }
  let folder: string;
  if ('hub' in source) {
    const { downloadModel } = await import('@redef/models/hub');
    folder = await downloadModel({ ...source.hub, ...(signal && { signal }), ...(onEvent && { onEvent }) });
  } else folder = source.checkpoint;
  const config = await readConfig(folder);
  await (await openCheckpoint(folder)).close(); // a damaged file is told before anything else is done
  const weights = (await readdir(folder)).filter((name) => /\.(safetensors|bin)$/.test(name)).sort();
  const digests: string[] = [];
  for (const name of weights) digests.push(await digestFile(join(folder, name)));
  return { config, folder, identity: digestOf([config, digests]) };
}

/** Sets the variables to a published or trained model's weights; what it lacks for a classifier is drawn. */
export function loadBase(folder: string, config: ModelConfig, variables: Variables, rng?: Rng): Promise<LoadReport> {
  return load(folder, config, variables, rng ? { rng } : {});
}

/** Sets the variables to the weights of a trained classifier, of which none may be missing. */
export function loadWhole(folder: string, config: ModelConfig, variables: Variables): Promise<LoadReport> {
  return load(folder, config, variables, { mayBeMissing: () => false });
}

async function load(
  folder: string,
  config: ModelConfig,
  variables: Variables,
  options: LoadWeightsOptions,
): Promise<LoadReport> {
  const { graph } = buildClassifier({ config }, { rows: 1, lengths: [8] }, { training: false });
  const checkpoint = await openCheckpoint(folder);
  try {
    return await loadWeights(graph, variables, checkpoint, options);
  } finally {
    await checkpoint.close();
  }
}

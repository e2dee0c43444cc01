import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, type ProgressEvent, RedefError, type RunOptions } from '@redef/core';
import {
  digestFile,
  type Manifest,
  readManifest,
  refuseOverwriting,
  removeStalePartials,
  writeManifest,
} from '@redef/core/files';
import { packageVersions } from './version.js';

export interface StageOptions extends RunOptions<ProgressEvent> {
  /** Run even where the folder is up to date. */
  force?: boolean;
}

export interface StageResult {
  folder: string;
  manifest: Manifest;
  /** The folder already held what these inputs and options give. */
  skipped: boolean;
}

/** A step from files to a folder of files. */
export interface Stage {
  name: string;
  folder: string;
  /** Files by the name the manifest gives them; digests of them decide whether the stage must run again. */
  inputFiles: Readonly<Record<string, string>>;
  /** Inputs that are no files (a commit id), by name. */
  inputDigests?: Readonly<Record<string, string>>;
  config: Readonly<Record<string, unknown>>;
  seed?: number | string;
  /** Writes its files into the folder, each whole or not at all, and says what it did. */
  run: (options: StageOptions) => Promise<StageOutcome>;
}

export interface StageOutcome {
  /** File names relative to the stage's folder. */
  outputs: readonly string[];
  counts: Manifest['counts'];
  details?: Record<string, unknown>;
}

/**
 * Runs a stage unless its folder already holds what the same inputs, options and versions gave. The manifest is written
 * last, so a stage stopped in the middle runs again and one that finished is never repeated.
 *
 * @throws `RedefError` `would-overwrite` where an input lies in the stage's own folder: what is there would be lost
 */
export async function runStage(stage: Stage, options: StageOptions = {}): Promise<StageResult> {
  const { folder, name, config, seed } = stage;
  await refuseOverwriting(Object.values(stage.inputFiles), { folders: [folder] });
  const inputs: Record<string, string> = { ...stage.inputDigests };
  for (const [input, path] of Object.entries(stage.inputFiles)) inputs[input] = await digestFile(path);

  const previous = await readPrevious(folder);
  const same =
    previous !== undefined &&
    previous.stage === name &&
    canonicalJson([previous.config, previous.seed, previous.inputs, previous.versions]) ===
      canonicalJson([config, seed, inputs, packageVersions]);
  if (same && !options.force && (await outputsIntact(folder, previous))) {
    return { folder, manifest: previous, skipped: true };
  }

  await rm(join(folder, 'manifest.json'), { force: true });
  await removeStalePartials(folder);
  const { outputs, counts, details } = await stage.run(options);
  const digests: Record<string, string> = {};
  for (const output of [...outputs].sort()) digests[output] = await digestFile(join(folder, output));
  const manifest: Manifest = {
    schema: 'redef.manifest/1',
    stage: name,
    versions: packageVersions,
    config: JSON.parse(canonicalJson(config)),
    ...(seed === undefined ? {} : { seed }),
    inputs,
    outputs: digests,
    counts,
    ...(details === undefined ? {} : { details }),
  };
  await writeManifest(folder, manifest);
  return { folder, manifest, skipped: false };
}

/** A manifest that cannot be read is the same as none: the stage runs again. */
async function readPrevious(folder: string): Promise<Manifest | undefined> {
  try {
    return await readManifest(folder);
  } catch (error) {
    if (RedefError.isInstance(error) && error.code === 'invalid-manifest') return undefined;
    throw error;
  }
}

async function outputsIntact(folder: string, manifest: Manifest): Promise<boolean> {
  for (const [output, digest] of Object.entries(manifest.outputs)) {
    try {
      if ((await digestFile(join(folder, output))) !== digest) return false;
    } catch (error) {
      if (RedefError.isInstance(error) && error.code === 'file-missing') return false;
      throw error;
    }
  }
  return true;
}

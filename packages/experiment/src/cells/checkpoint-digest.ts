import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '@redef/core';
import { digestFile, fileError } from '@redef/core/files';

/** Of a model's configuration and weights, wherever their folder lies. Reads all of them. */
export async function checkpointDigest(folder: string): Promise<string> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => name === 'config.json' || /\.(safetensors|bin)$/.test(name));
  } catch (error) {
    throw fileError(error, folder);
  }
  const digests: string[] = [];
  for (const name of names.sort()) digests.push(await digestFile(join(folder, name)));
  return digestOf([names, digests]);
}

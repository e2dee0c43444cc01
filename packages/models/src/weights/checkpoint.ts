import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import * as v from 'valibot';
import { indexPytorch } from './pytorch.js';
import { indexSafetensors } from './safetensors.js';
import { corrupt, readStoredTensor, type StoredTensor, type StoredType } from './stored-tensor.js';

/** A tensor of a checkpoint. Its numbers are read when they are asked for. */
export interface CheckpointTensor {
  readonly shape: readonly number[];
  /** In which it is stored. */
  readonly dtype: StoredType;
  /** Row-major, in single precision. */
  read(): Promise<Float32Array>;
}

/** The tensors of a checkpoint by name, and the files that hold them open until `close`. */
export interface Checkpoint {
  readonly tensors: ReadonlyMap<string, CheckpointTensor>;
  close(): Promise<void>;
}

/** Where a folder's weights are looked for, in this order. An index names the files of a model in several parts. */
export const weightFiles = [
  'model.safetensors',
  'model.safetensors.index.json',
  'pytorch_model.bin',
  'pytorch_model.bin.index.json',
] as const;

/**
 * Opens the weights in a folder (the first that there is of {@link weightFiles}) or in one such file.
 *
 * @throws `RedefError` `file-missing`, `corrupt-weights`, or `unsafe-weights` where a pickle names anything but tensors
 */
export async function openCheckpoint(path: string): Promise<Checkpoint> {
  const found = await findWeights(path);
  const fileOf = found.endsWith('.index.json') ? await readIndex(found) : undefined;
  const parts = fileOf ? [...new Set(fileOf.values())].sort() : [found];
  const files: FileHandle[] = [];
  const close = async () => {
    await Promise.all(files.map((file) => file.close()));
  };
  let reading = found;
  try {
    const tensors = new Map<string, CheckpointTensor>();
    for (const part of parts) {
      reading = part;
      const file = await open(part);
      files.push(file);
      for (const [name, stored] of await indexPart(file, part)) {
        if (tensors.has(name)) throw corrupt(part, `tensor ${name} is in another part as well`);
        tensors.set(name, {
          shape: stored.shape,
          dtype: stored.dtype,
          read: () => readStoredTensor(file, part, stored),
        });
      }
    }
    for (const [name, part] of fileOf ?? []) {
      if (!tensors.has(name)) throw corrupt(found, `tensor ${name} is not in ${basename(part)}, nor in another part`);
    }
    return { tensors, close };
  } catch (error) {
    await close();
    throw fileError(error, reading);
  }
}

function indexPart(file: FileHandle, path: string): Promise<Map<string, StoredTensor>> {
  return path.endsWith('.safetensors') ? indexSafetensors(file, path) : indexPytorch(file, path);
}

async function findWeights(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) return path;
  } catch (error) {
    throw fileError(error, path);
  }
  for (const name of weightFiles) {
    const candidate = join(path, name);
    if (await stat(candidate).catch(() => undefined)) return candidate;
  }
  throw new RedefError(`${path}: no weights: looked for ${weightFiles.join(', ')}`, {
    code: 'file-missing',
    remedy: 'Name the folder into which the model was downloaded or saved.',
  });
}

const indexSchema = v.object({ weight_map: v.record(v.string(), v.string()) });

/** The file of each tensor that an index names; they must lie beside it. */
async function readIndex(path: string): Promise<Map<string, string>> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? corrupt(path, 'not JSON', error) : fileError(error, path);
  }
  const result = v.safeParse(indexSchema, json);
  if (!result.success) throw corrupt(path, 'an index without a weight_map of file names');
  const fileOf = new Map<string, string>();
  for (const [tensor, name] of Object.entries(result.output.weight_map)) {
    if (/[/\\]|^\.*$/.test(name)) throw corrupt(path, `${JSON.stringify(name)} is not a file beside the index`);
    fileOf.set(tensor, join(dirname(path), name));
  }
  return fileOf;
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { RedefError } from '../errors.js';
import { writeFileAtomic } from './atomic.js';
import { fileError } from './file-error.js';

const digests = v.record(v.string(), v.string());
const counts = v.record(v.string(), v.number());

/** What made the files of an output folder, so that anyone can tell whether they are still what their inputs give. */
export const manifestSchema = v.object({
  schema: v.literal('redef.manifest/1'),
  /** The stage or command. */
  stage: v.string(),
  /** Package versions that took part. */
  versions: v.record(v.string(), v.string()),
  /** Every option in force, defaults included. */
  config: v.record(v.string(), v.unknown()),
  seed: v.optional(v.union([v.number(), v.string()])),
  /** SHA-256 (or a commit id) by input name. */
  inputs: digests,
  /** SHA-256 by file name inside the folder. */
  outputs: digests,
  counts: v.object({ in: v.number(), kept: v.number(), dropped: counts }),
  /** Other numbers that the stage reports. */
  details: v.optional(v.record(v.string(), v.unknown())),
});
export type Manifest = v.InferOutput<typeof manifestSchema>;

/** Writes `manifest.json` into a folder, whole or not at all. Bytes depend on the content alone. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFileAtomic(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Reads a folder's `manifest.json`.
 *
 * @returns `undefined` where there is none
 * @throws `RedefError` `invalid-manifest` where it cannot be read as one, `unknown-schema` where another version wrote it
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, 'manifest.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(`${path}: not JSON`, cause);
  }
  const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;
  if (typeof schema === 'string' && /^redef\.manifest\/\d+$/.test(schema) && schema !== 'redef.manifest/1') {
    throw new RedefError(`${path}: a ${schema}, which this version cannot read`, {
      code: 'unknown-schema',
      remedy: 'Upgrade the packages, or use another folder.',
    });
  }
  const result = v.safeParse(manifestSchema, value);
  if (!result.success)
    throw invalid(`${path}: ${v.getDotPath(result.issues[0]) ?? 'manifest'}: ${result.issues[0].message}`);
  return result.output;
}

/** SHA-256 of a file's bytes, streamed: 64 lower-case hex digits. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array);
  } catch (error) {
    throw fileError(error, path);
  }
  return hash.digest('hex');
}

function invalid(message: string, cause?: unknown): RedefError {
  return new RedefError(message, {
    code: 'invalid-manifest',
    remedy: 'Remove the folder and run the stage again.',
    cause,
  });
}

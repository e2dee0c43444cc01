import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Variables } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { digestFile, fileError, removeStalePartials, writeFileAtomic } from '@redef/core/files';
import { openCheckpoint, writeSafetensors } from '@redef/models';
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const positionSchema = v.object({
  /** What is trained, on what, how: a checkpoint of another job is not continued. */
  identity: v.string(),
  /** Steps done. All randomness is drawn from seed, epoch and step, so this is the state of the generator as well. */
  step: count,
  /** Epochs done, and steps done of the next one. */
  epoch: count,
  step_in_epoch: count,
  /** Sums over the epoch under way. */
  loss_sum: v.number(),
  weight_sum: v.number(),
  /** The epochs done. */
  history: v.array(v.object({ epoch: count, trainLoss: v.number(), validation: v.nullable(v.number()) })),
  /** The epoch whose weights `best.safetensors` holds, 0 for none. */
  best_epoch: count,
});
export type FitPosition = v.InferOutput<typeof positionSchema>;

const fileSchema = v.object({
  schema: v.literal('redef.fit-checkpoint/1'),
  position: positionSchema,
  weights_sha256: v.string(),
});

const bestName = 'best.safetensors';
const fileName = /^(step-\d+-epoch-\d+)\.(json|safetensors)$/;

/**
 * Checkpoints in a folder: `step-<n>-epoch-<n>.safetensors` with the weights and the optimizer's moments, then a `.json`
 * with the position and the digest of the first. Each is written whole or not at all and counts only together with the
 * other, so a kill or a full disk at any moment leaves the checkpoints before it as they were. `best.safetensors` goes last:
 * a checkpoint that counts on it is none without.
 */
export class CheckpointStore {
  constructor(
    private readonly folder: string,
    private readonly keep: number,
  ) {}

  /** @throws `RedefError` `disk-full`, `file-permission`, `non-finite-loss` */
  async save(position: FitPosition, variables: Variables, names: Iterable<string>): Promise<void> {
    const stem = `step-${String(position.step).padStart(8, '0')}-epoch-${String(position.epoch).padStart(4, '0')}`;
    const weights = await this.#write(`${stem}.safetensors`, variables, names);
    const file: v.InferOutput<typeof fileSchema> = {
      schema: 'redef.fit-checkpoint/1',
      position,
      weights_sha256: await digestFile(weights),
    };
    await writeFileAtomic(join(this.folder, `${stem}.json`), `${JSON.stringify(file)}\n`);
    await this.#removeAllBut((await this.#stems()).slice(0, this.keep));
  }

  /**
   * Sets the variables to the newest checkpoint of this job that is whole; `undefined` where there is none. Removes others.
   *
   * @param onLost is told which checkpoint of this job cannot be gone on from, and why
   */
  async restore(
    identity: string,
    variables: Variables,
    onLost: (checkpoint: string, problem: string) => void = () => {},
  ): Promise<FitPosition | undefined> {
    await removeStalePartials(this.folder);
    const stems = await this.#stems();
    for (const [index, stem] of stems.entries()) {
      const path = join(this.folder, stem);
      const file = v.safeParse(v.pipe(v.string(), v.parseJson(), fileSchema), await readText(`${path}.json`));
      if (file.success && file.output.position.identity !== identity) continue;
      const problem = file.success ? await this.#problemOf(stem, file.output) : 'its position is unreadable';
      if (file.success && problem === undefined) {
        await load(`${path}.safetensors`, variables);
        await this.#removeAllBut(stems.slice(index));
        return file.output.position;
      }
      onLost(stem, problem!);
    }
    await this.#removeAllBut([]);
    return undefined;
  }

  /** Why a checkpoint cannot be gone on from. */
  async #problemOf(
    stem: string,
    { weights_sha256, position }: v.InferOutput<typeof fileSchema>,
  ): Promise<string | undefined> {
    if ((await digestOrNone(join(this.folder, `${stem}.safetensors`))) !== weights_sha256) {
      return 'its weights are missing or damaged';
    }
    if (position.best_epoch === 0) return undefined;
    try {
      await (await openCheckpoint(join(this.folder, bestName))).close();
      return undefined;
    } catch (error) {
      const isLost = RedefError.isInstance(error) && ['file-missing', 'corrupt-weights'].includes(error.code);
      if (!isLost) throw error;
      return `${bestName}, the weights of epoch ${position.best_epoch}, is missing or damaged`;
    }
  }

  async saveBest(variables: Variables, names: Iterable<string>): Promise<void> {
    await this.#write(bestName, variables, names);
  }

  async loadBest(variables: Variables): Promise<void> {
    await load(join(this.folder, bestName), variables);
  }

  /** In an order in which what is left after a kill is either a whole checkpoint with its best weights, or none. */
  async clear(): Promise<void> {
    await this.#removeAllBut([]);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #write(name: string, variables: Variables, names: Iterable<string>): Promise<string> {
    const tensors = [...names].map((tensor) => ({
      name: tensor,
      shape: variables.get(tensor).shape,
      read: async () => finite(tensor, (await variables.read(tensor)) as Float32Array),
    }));
    const path = join(this.folder, name);
    await writeSafetensors(path, tensors, { maxShardBytes: Number.POSITIVE_INFINITY });
    return path;
  }

  /** Of whole checkpoints, newest first. */
  async #stems(): Promise<string[]> {
    return (await this.#files())
      .flatMap(({ stem, name }) => (name.endsWith('.json') ? stem : []))
      .sort()
      .reverse();
  }

  /** Also weights whose position was never written. */
  async #removeAllBut(stems: readonly string[]): Promise<void> {
    const old = (await this.#files()).filter(({ stem }) => !stems.includes(stem));
    old.sort((a, b) => (a.name < b.name ? -1 : 1)); // the position before its weights, which alone are no checkpoint
    for (const { name } of old) await rm(join(this.folder, name), { force: true });
  }

  async #files(): Promise<{ name: string; stem: string }[]> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw fileError(error, this.folder);
    });
    return names.flatMap((name) => {
      const stem = fileName.exec(name)?.[1];
      return stem === undefined ? [] : { name, stem };
    });
  }
}

/** A checkpoint is something to go back to: what has run away is not written over it. */
function finite(name: string, values: Float32Array): Float32Array {
  if (values.every(Number.isFinite)) return values;
  throw new RedefError(`${name} holds values that are no numbers or infinite: the last step ran away`, {
    code: 'non-finite-loss',
    remedy: 'Lower the learning rate or lengthen the warm-up.',
  });
}

async function load(path: string, variables: Variables): Promise<void> {
  const checkpoint = await openCheckpoint(path);
  try {
    for (const [name, tensor] of checkpoint.tensors) {
      variables.set({ name, dtype: 'float32', shape: tensor.shape }, await tensor.read());
    }
  } finally {
    await checkpoint.close();
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
}

async function digestOrNone(path: string): Promise<string | undefined> {
  try {
    return await digestFile(path);
  } catch (error) {
    if (RedefError.isInstance(error) && error.code === 'file-missing') return undefined;
    throw error;
  }
}

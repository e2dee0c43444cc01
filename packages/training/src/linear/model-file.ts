import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';
import { LogisticRegression } from './logistic-regression.js';

const finite = v.pipe(v.number(), v.finite());
const linearModelSchema = v.pipe(
  v.object({
    schema: v.literal('redef.linear-model/1'),
    bucket_count: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(2 ** 24)),
    bias: finite,
    /** Buckets with a weight, ascending, and their weights. */
    buckets: v.array(v.pipe(v.number(), v.integer(), v.minValue(0))),
    weights: v.array(finite),
  }),
  v.check(({ bucket_count }) => Number.isInteger(Math.log2(bucket_count)), 'bucket_count is not a power of two'),
  v.check(({ buckets, weights }) => buckets.length === weights.length, 'buckets and weights differ in length'),
  v.check(({ buckets, bucket_count }) => buckets.every((bucket) => bucket < bucket_count), 'a bucket is out of range'),
);

export const modelFileName = 'model.json';

export async function writeLinearModel(folder: string, model: LogisticRegression): Promise<void> {
  const buckets: number[] = [];
  const weights: number[] = [];
  model.weights.forEach((weight, bucket) => {
    if (weight === 0) return;
    buckets.push(bucket);
    weights.push(weight);
  });
  const file: v.InferOutput<typeof linearModelSchema> = {
    schema: 'redef.linear-model/1',
    bucket_count: model.bucketCount,
    bias: model.bias,
    buckets,
    weights,
  };
  await writeFileAtomic(join(folder, modelFileName), `${JSON.stringify(file)}\n`);
}

/** @throws `RedefError` `invalid-model` where the folder holds no linear model or a damaged one */
export async function readLinearModel(folder: string): Promise<LogisticRegression> {
  const path = join(folder, modelFileName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), linearModelSchema), text);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new RedefError(`${path}: not a linear model: ${v.getDotPath(issue) ?? 'file'}: ${issue.message}`, {
      code: 'invalid-model',
      remedy: 'Train the model again, or name the folder that the linear engine wrote.',
    });
  }
  const { bucket_count, bias, buckets, weights } = parsed.output;
  const model = new LogisticRegression(bucket_count);
  model.bias = bias;
  buckets.forEach((bucket, i) => {
    model.weights[bucket] = weights[i]!;
  });
  return model;
}

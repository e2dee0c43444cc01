import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';

const answerSchema = v.object({
  schema: v.literal('redef.chat-answer/1'),
  /** In [0, 1]; `null` where the model gave no answer that could be read. */
  score: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
});

/** Answers by the digest of their question, one file each: any number of processes may read and write them. */
export interface AnswerStore {
  /** `undefined` where the question was not asked before. */
  get(digest: string): Promise<number | null | undefined>;
  put(digest: string, score: number | null): Promise<void>;
}

export function answerStore(folder: string): AnswerStore {
  const fileOf = (digest: string): string => join(folder, digest.slice(0, 2), `${digest}.json`);
  return {
    async get(digest) {
      const text = await readFile(fileOf(digest), 'utf8').catch(() => undefined);
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answerSchema), text);
      return parsed.success ? parsed.output.score : undefined;
    },
    async put(digest, score) {
      await writeFileAtomic(fileOf(digest), `${JSON.stringify({ schema: 'redef.chat-answer/1', score })}\n`);
    },
  };
}

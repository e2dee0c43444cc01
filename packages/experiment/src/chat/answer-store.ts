import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';

const answerSchema = v.union([
  v.object({
    schema: v.literal('redef.chat-answer/2'),
    /** The probability of a defect. */
    score: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  }),
  v.object({ schema: v.literal('redef.chat-answer/2'), unanswered: v.picklist(['refused', 'unreadable', 'too-long']) }),
]);

/** A probability, or why there is none. */
export type Answer = { score: number } | { unanswered: 'refused' | 'unreadable' | 'too-long' };

/** Answers by the digest of their question, one file each: any number of processes may read and write them. */
export interface AnswerStore {
  /** `undefined` where the question was not asked before. */
  get(digest: string): Promise<Answer | undefined>;
  put(digest: string, answer: Answer): Promise<void>;
}

export function answerStore(folder: string): AnswerStore {
  const fileOf = (digest: string): string => join(folder, digest.slice(0, 2), `${digest}.json`);
  return {
    async get(digest) {
      const text = await readFile(fileOf(digest), 'utf8').catch(() => undefined);
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answerSchema), text);
      if (!parsed.success) return undefined;
      const { schema: _, ...answer } = parsed.output;
      return answer;
    },
    async put(digest, answer) {
      await writeFileAtomic(fileOf(digest), `${JSON.stringify({ schema: 'redef.chat-answer/2', ...answer })}\n`);
    },
  };
}

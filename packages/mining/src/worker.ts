import { RedefError } from '@redef/core';
import { BlobReader } from './git/blob-reader.js';
import { type BucketTask, runBucket } from './history/run-bucket.js';
import type { WorkerAnswer } from './history/worker-pool.js';

// A worker process of `mineCandidates`: takes buckets over the channel to its parent and answers each when it is on disk.
let reader: BlobReader | undefined;

process.on('message', (task: BucketTask) => {
  reader ??= new BlobReader(task.gitDirectory, task.maxFileBytes);
  runBucket(task, reader).then(
    () => answer({ ok: true }),
    (error: unknown) =>
      answer(
        RedefError.isInstance(error)
          ? { ok: false, message: error.message, code: error.code, remedy: error.remedy }
          : { ok: false, message: String(error), code: 'worker-failed', remedy: 'Run again without workers.' },
      ),
  );
});
process.on('disconnect', () => process.exit());

function answer(value: WorkerAnswer): void {
  process.send?.(value);
}

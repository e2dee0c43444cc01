import { RedefError } from '@redef/core';
import { createOnnxEngine } from '../src/index.js';
import { generateExamples, tinyRoberta } from './examples.js';

// Trains a small model in the folder named; a line for each step, and at the end the result or the code of the error.
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const engine = createOnnxEngine({
  model: { config: tinyRoberta },
  learningRate: 5e-3,
  epochs: 3,
  accumulation: 2,
  checkpointEvery: 3,
  threads: 1,
});
try {
  const { folder: _, ...result } = await engine.fit(
    {
      folder: process.argv[2]!,
      train: generateExamples('train', 70),
      validation: generateExamples('validation', 20),
      seed: 5,
    },
    { signal: stop.signal, onEvent: ({ done }) => process.stdout.write(`step ${done}\n`) },
  );
  process.stdout.write(`${JSON.stringify(result)}\n`);
} catch (error) {
  if (!RedefError.isInstance(error)) throw error;
  process.stdout.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 3;
}

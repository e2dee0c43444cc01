// What the searches themselves cost a step, without any model: node packages/repair/bench/decoding.bench.mjs (after a build)
import { beamSearch, greedySearch } from '../dist/index.js';

const steps = 40;
for (const vocabularySize of [5_000, 32_105, 50_270]) {
  // Random rows, worked out once; the end token is never likely, so every search runs its whole length.
  const pool = Float32Array.from(
    { length: 64 * vocabularySize },
    (_, i) => -1 - ((i * 2654435761) % 2 ** 32) / 2 ** 29,
  );
  for (let row = 0; row < 64; row++) pool[row * vocabularySize + 2] = -1000;
  const decoder = {
    vocabularySize,
    async step(state, rows) {
      const from = (state * 7) % (65 - Math.min(64, rows.length));
      return {
        logProbabilities: pool.subarray(from * vocabularySize, (from + rows.length) * vocabularySize),
        state: state + 1,
      };
    },
  };
  const limits = { startToken: 0, endToken: 2, maxNewTokens: steps };
  const time = async (run) => {
    await run();
    const started = performance.now();
    await run();
    return (performance.now() - started) / steps;
  };
  const greedy = await time(() => greedySearch(decoder, 0, 1, limits));
  for (const rule of ['hugging-face', 'codexglue']) {
    for (const width of [1, 10, 50]) {
      const beam = await time(() => beamSearch(decoder, 0, 1, { ...limits, width, rule: { name: rule } }));
      console.log(
        `vocabulary ${vocabularySize}, ${rule}, width ${width}: ${beam.toFixed(3)} ms a step (greedy ${greedy.toFixed(3)} ms)`,
      );
    }
  }
}

import type { DecoderStep } from '../src/decode/decoder-step.js';

/** A decoder whose next-token log-probabilities are a function of the sample and all tokens so far: no two prefixes are alike. */
export function createTableDecoder(table: Float32Array, vocabularySize: number) {
  const tableRows = table.length / vocabularySize;
  const calls: number[] = [];
  const released: number[] = [];
  const decoder: DecoderStep<{ hashes: readonly number[]; step: number }> = {
    vocabularySize,
    async step(state, rows, tokens) {
      calls.push(rows.length);
      const hashes = Array.from(rows, (row, i) => (state.hashes[row]! * 31 + tokens[i]! + 7) % 1000003);
      const logProbabilities = new Float32Array(hashes.length * vocabularySize);
      hashes.forEach((hash, i) => {
        const start = (hash % tableRows) * vocabularySize;
        logProbabilities.set(table.subarray(start, start + vocabularySize), i * vocabularySize);
      });
      return { logProbabilities, state: { hashes, step: state.step + 1 } };
    },
    release: (state) => {
      released.push(state.step);
    },
  };
  const start = (samples: number, first = 0) => ({
    hashes: Array.from({ length: samples }, (_, i) => 17 + 1009 * (first + i)),
    step: 0,
  });
  /** The log-probabilities after a prefix that starts with the start token, as the decoder gives them. */
  const after = (sample: number, prefix: readonly number[]): Float32Array => {
    const hash = prefix.reduce((state, token) => (state * 31 + token + 7) % 1000003, 17 + 1009 * sample);
    const from = (hash % tableRows) * vocabularySize;
    return table.subarray(from, from + vocabularySize);
  };
  return { decoder, start, after, calls, released };
}

/** Random log-probabilities, rows x vocabulary, each row normalised. */
export function randomTable(next: () => number, rows: number, vocabularySize: number): Float32Array {
  const table = new Float32Array(rows * vocabularySize);
  for (let row = 0; row < rows; row++) {
    const weights = Array.from({ length: vocabularySize }, () => Math.exp(3 * next()));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    weights.forEach((weight, token) => {
      table[row * vocabularySize + token] = Math.log(weight / total);
    });
  }
  return table;
}

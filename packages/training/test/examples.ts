import { createRng } from '@redef/core';
import type { Example } from '../src/index.js';

/** Members of a `config.json`, for models that train in moments. */
export const tinyRoberta = {
  model_type: 'roberta',
  vocab_size: 60,
  hidden_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 32,
  max_position_embeddings: 66,
};
export const tinyT5 = { model_type: 't5', vocab_size: 60, d_model: 16, d_kv: 8, d_ff: 32, num_heads: 2, num_layers: 1 };

/** Random tokens; a defective example has the token 7 in three places. */
export function generateExamples(seed: string, size: number): Example[] {
  const rng = createRng(seed);
  return Array.from({ length: size }, (_, i) => {
    const label = rng.next() < 0.3 ? 1 : 0;
    const inputIds = [0, ...Array.from({ length: 4 + rng.integer(24) }, () => 10 + rng.integer(50)), 2];
    for (let place = 0; label === 1 && place < 3; place++) inputIds[1 + rng.integer(inputIds.length - 2)] = 7;
    return { id: `${seed}-${i}`, inputIds, label };
  });
}

import { createOnnxRuntimeDriver, Graph, logSoftmax, Session, type Tensor, Variables } from '@redef/autodiff';
import {
  parseConfig,
  type RobertaConfig,
  robertaCachedDecoder,
  robertaSeq2Seq,
  type T5Config,
  t5CachedDecoder,
  t5Seq2Seq,
} from '@redef/models';
import type { DecoderStep } from '../src/decode/decoder-step.js';

/** The small models of make-model-decoding.py. */
export function smallModel(json: { model_type: string }) {
  const config = parseConfig(json);
  const decoder =
    config.model_type === 't5' ? t5CachedDecoder(config) : robertaCachedDecoder(config, { decoderLayers: 2 });
  const logits = (ids: Tensor, targetIds: Tensor) =>
    config.model_type === 't5'
      ? t5Seq2Seq(ids, targetIds, config as T5Config)
      : robertaSeq2Seq(ids, targetIds, config as RobertaConfig, { decoderLayers: 2 });
  const variables = new Variables(createOnnxRuntimeDriver({ threads: 1 }));
  const graph = new Graph();
  logits(graph.input('ids', [1, 2], 'int32'), graph.input('targetIds', [1, 2], 'int32'));
  for (const parameter of graph.parameters) variables.set(parameter, weightsOf(parameter));
  return { config, decoder, logits, variables };
}

/** A linear congruential generator for each weight, begun from the letters of its name. */
function weightsOf({ name, shape }: Tensor): Float32Array {
  const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
  const centre = shape.length === 1 && /norm/i.test(name) && name.endsWith('weight') ? 1 : 0;
  const isWords = /(^shared|word_embeddings)\.weight$/.test(name);
  let state = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  for (let index = 0; index < values.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[index] = centre + state / 2 ** 32 - 0.5;
    if (isWords) values[index]! *= 2;
  }
  return values;
}

/** A decoder without a cache: each step runs encoder and decoder over all tokens of every row. */
export async function createCacheFreeDecoder(
  { config, logits, variables }: ReturnType<typeof smallModel>,
  sources: readonly number[][],
  { maxRows, maxLength }: { maxRows: number; maxLength: number },
): Promise<DecoderStep<{ sample: number; tokens: number[] }[]>> {
  const { vocab_size: vocabularySize, pad_token_id: padding } = config;
  const sourceLength = Math.max(...sources.map(({ length }) => length));
  const graph = new Graph();
  const all = logits(
    graph.input('ids', [maxRows, sourceLength], 'int32'),
    graph.input('targetIds', [maxRows, maxLength], 'int32'),
  );
  const session = await Session.create({ outputs: { all: logSoftmax(all) }, variables });
  return {
    vocabularySize,
    async step(state, rows, tokens) {
      const next = Array.from(rows, (row, i) => {
        return { sample: state[row]!.sample, tokens: [...state[row]!.tokens, tokens[i]!] };
      });
      const ids = new Int32Array(maxRows * sourceLength).fill(padding);
      const targetIds = new Int32Array(maxRows * maxLength).fill(padding);
      for (const [row, { sample, tokens: fed }] of next.entries()) {
        ids.set(sources[sample]!, row * sourceLength);
        targetIds.set(fed, row * maxLength);
      }
      for (let row = next.length; row < maxRows; row++) ids[row * sourceLength] = 3; // no row without any token
      const results = (await session.run({ ids, targetIds })).all as Float32Array;
      const logProbabilities = new Float32Array(next.length * vocabularySize);
      for (const [row, { tokens: fed }] of next.entries()) {
        const from = (row * maxLength + fed.length - 1) * vocabularySize;
        logProbabilities.set(results.subarray(from, from + vocabularySize), row * vocabularySize);
      }
      return { logProbabilities, state: next };
    },
  };
}

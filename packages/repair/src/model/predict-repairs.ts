import { type RunOptions, throwIfAborted } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import { type BeamSearchOptions, beamSearch } from '../decode/beam-search.js';
import type { RepairModel } from './repair-model.js';
import type { Seq2SeqDecoder } from './seq2seq-decoder.js';
import type { SequenceTokenizer } from './sequence-pair.js';

export interface PredictOptions extends RunOptions {
  /** Beams. Default 50 (R+R, section 3.4.2). */
  width?: number;
  /** Default: the model's. */
  rule?: BeamSearchOptions['rule'];
  /** Samples decoded at once. Default 8. */
  batchSize?: number;
}

/** One predicted target. */
export interface RepairCandidate {
  target: string;
  /** Of the whole sequence, 0 to 1. */
  probability: number;
  /** What the beam ranked by. */
  score: number;
  /** Whether the end came before the limit. */
  finished: boolean;
}

/**
 * Predicts targets by beam search. Batches are made of sources of like length.
 *
 * @param sources token ids, special tokens included
 * @returns for each source in its order up to `width` candidates, best first
 */
export async function predictRepairs(
  decoder: Seq2SeqDecoder,
  { config, settings }: RepairModel,
  tokenizer: SequenceTokenizer,
  sources: readonly Int32Array[],
  { width = 50, rule = { name: settings.rule }, batchSize = 8, signal, onEvent }: PredictOptions = {},
): Promise<RepairCandidate[][]> {
  checkInteger('batchSize', batchSize, 1);
  const special = new Set([...tokenizer.prefix, ...tokenizer.suffix, settings.start_token, config.pad_token_id]);
  const order = sources.map((_, index) => index).sort((a, b) => sources[a]!.length - sources[b]!.length);
  const results: RepairCandidate[][] = new Array(sources.length);
  for (let first = 0; first < order.length; first += batchSize) {
    throwIfAborted(signal);
    const batch = order.slice(first, first + batchSize);
    const state = await decoder.encode(batch.map((index) => sources[index]!));
    const found = await beamSearch(
      decoder,
      state,
      batch.length,
      {
        width,
        rule,
        startToken: settings.start_token,
        endToken: settings.end_token,
        // Hugging Face's max_length counts the start token, CodeXGLUE's loop does not.
        maxNewTokens: settings.max_target_tokens - (config.model_type === 't5' ? 1 : 0),
      },
      signal ? { signal } : {},
    );
    for (const [place, index] of batch.entries()) {
      results[index] = found[place]!.map(({ tokens, logProbability, score, finished }) => ({
        target: tokenizer.decode(tokens.filter((token) => !special.has(token))).trim(),
        probability: Math.exp(logProbability),
        score,
        finished,
      }));
    }
    onEvent?.({
      type: 'progress',
      stage: 'predict',
      done: Math.min(first + batchSize, order.length),
      total: order.length,
      unit: 'samples',
    });
  }
  return results;
}

import { type Rng, type RunOptions, throwIfAborted } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import { type BeamSearchOptions, beamSearch } from '../decode/beam-search.js';
import type { Hypothesis } from '../decode/decoder-step.js';
import { type DiverseBeamSearchOptions, diverseBeamSearch } from '../decode/diverse-beam-search.js';
import { type NucleusSamplingOptions, nucleusSampling } from '../decode/nucleus-sampling.js';
import type { RepairModel } from './repair-model.js';
import type { Seq2SeqDecoder, Seq2SeqState } from './seq2seq-decoder.js';
import type { SequenceTokenizer } from './sequence-pair.js';

/** How candidates are looked for: one more than beam search for who wants them to differ. */
export type RepairSearch =
  | { kind: 'beam' }
  | ({ kind: 'diverse' } & Pick<DiverseBeamSearchOptions, 'groups' | 'diversityPenalty'>)
  | ({ kind: 'nucleus'; rng: Rng } & Pick<NucleusSamplingOptions, 'topP' | 'temperature'>);

export interface PredictOptions extends RunOptions {
  /** Beams, or draws. Default 50 (R+R, section 3.4.2). */
  width?: number;
  /** Of beam search. Default: the model's. */
  rule?: BeamSearchOptions['rule'];
  /** Default beam search. Of equal targets that diverse beams or draws give, the best is kept. */
  search?: RepairSearch;
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
 * Predicts targets. Batches are made of sources of like length; what is found does not depend on them.
 *
 * @param sources token ids, special tokens included
 * @returns for each source in its order up to `width` candidates, best first: draws by their probability
 */
export async function predictRepairs(
  decoder: Seq2SeqDecoder,
  { config, settings }: RepairModel,
  tokenizer: SequenceTokenizer,
  sources: readonly Int32Array[],
  {
    width = 50,
    rule = { name: settings.rule },
    search = { kind: 'beam' },
    batchSize = 8,
    signal,
    onEvent,
  }: PredictOptions = {},
): Promise<RepairCandidate[][]> {
  checkInteger('batchSize', batchSize, 1);
  const special = new Set([...tokenizer.prefix, ...tokenizer.suffix, settings.start_token, config.pad_token_id]);
  const order = sources.map((_, index) => index).sort((a, b) => sources[a]!.length - sources[b]!.length);
  const results: RepairCandidate[][] = new Array(sources.length);
  const limits = {
    startToken: settings.start_token,
    endToken: settings.end_token,
    // Hugging Face's max_length counts the start token, CodeXGLUE's loop does not.
    maxNewTokens: settings.max_target_tokens - (config.model_type === 't5' ? 1 : 0),
  };
  const find = async (state: Seq2SeqState, batch: readonly number[]): Promise<Hypothesis[][]> => {
    const options = signal ? { signal } : {};
    switch (search.kind) {
      case 'beam':
        return beamSearch(decoder, state, batch.length, { ...limits, width, rule }, options);
      case 'diverse': {
        const { kind: _kind, ...groups } = search;
        return diverseBeamSearch(decoder, state, batch.length, { ...limits, width, ...groups }, options);
      }
      case 'nucleus': {
        const { kind: _kind, rng, ...nucleus } = search;
        const draw = { ...limits, draws: width, sampleKeys: batch, ...nucleus };
        const found = await nucleusSampling(decoder, state, batch.length, draw, rng, options);
        return found.map((drawn) => drawn.sort((a, b) => b.score - a.score));
      }
    }
  };
  for (let first = 0; first < order.length; first += batchSize) {
    throwIfAborted(signal);
    const batch = order.slice(first, first + batchSize);
    const state = await decoder.encode(batch.map((index) => sources[index]!));
    const found = await find(state, batch);
    for (const [place, index] of batch.entries()) {
      const candidates = found[place]!.map(({ tokens, logProbability, score, finished }) => ({
        target: tokenizer.decode(tokens.filter((token) => !special.has(token))).trim(),
        probability: Math.exp(logProbability),
        score,
        finished,
      }));
      results[index] = search.kind === 'beam' ? candidates : distinct(candidates);
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

/** The first of those with the same text. */
function distinct(candidates: readonly RepairCandidate[]): RepairCandidate[] {
  const byTarget = new Map<string, RepairCandidate>();
  for (const candidate of candidates) {
    if (!byTarget.has(candidate.target)) byTarget.set(candidate.target, candidate);
  }
  return [...byTarget.values()];
}

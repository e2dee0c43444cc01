import type { RepairTruth } from '../score/score-repairs.js';
import type { RepairSettings } from './repair-model.js';

/** A source and its target as token ids, special tokens included, cut to the model's lengths. */
export interface SequencePair {
  id: string;
  sourceIds: Int32Array;
  targetIds: Int32Array;
  /** Whether tokens were cut off. */
  sourceCut: boolean;
  targetCut: boolean;
}

/** What is needed of a tokenizer: those of `@redef/encoders` have it. */
export interface SequenceTokenizer {
  readonly id: string;
  /** One more than the highest id. */
  readonly size: number;
  /** Ids before and after every text, such as `<s>` and `</s>`. */
  readonly prefix: Int32Array;
  readonly suffix: Int32Array;
  encode(text: string): Int32Array;
  decode(ids: ArrayLike<number>): string;
}

export interface TokenizedText {
  ids: Int32Array;
  cut: boolean;
}

/** Special tokens around a text, whose end is cut so that all fits. */
export function tokenizeText(text: string, tokenizer: SequenceTokenizer, maxTokens: number): TokenizedText {
  const { prefix, suffix } = tokenizer;
  const all = tokenizer.encode(text.trim());
  const kept = all.subarray(0, Math.max(0, maxTokens - prefix.length - suffix.length));
  return { ids: Int32Array.from([...prefix, ...kept, ...suffix]), cut: kept.length < all.length };
}

/** Sample to ids. The papers cut both ends off without a word; the flags say where. */
export function tokenizeSample(
  { id, source, target }: RepairTruth,
  tokenizer: SequenceTokenizer,
  { max_source_tokens, max_target_tokens }: RepairSettings,
): SequencePair {
  const from = tokenizeText(source, tokenizer, max_source_tokens);
  const to = tokenizeText(target, tokenizer, max_target_tokens);
  return { id, sourceIds: from.ids, targetIds: to.ids, sourceCut: from.cut, targetCut: to.cut };
}

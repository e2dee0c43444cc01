import { splitTokens } from '../format/special-tokens.js';

/** What {@link cutTruth} needs of a tokenizer: ids without special tokens, and text back. */
export interface TruthTokenizer {
  encode(text: string): ArrayLike<number>;
  decode(ids: ArrayLike<number>): string;
}

export interface CutOptions {
  /** Ids a target had in training, special tokens included. Default 256. */
  maxTokens?: number;
  /** Special tokens among them. Default 2, `<s>` and `</s>`. */
  specialTokens?: number;
}

/**
 * The truth as VulRepair's evaluation saw it: read back from ids that had been cut to the model's target length, so that
 * a prediction of the beginning of a long target counts as perfect (R+R, section 3.3, by the published code).
 */
export function cutTruth(
  target: string,
  tokenizer: TruthTokenizer,
  { maxTokens = 256, specialTokens = 2 }: CutOptions = {},
): string {
  const ids = Array.from(tokenizer.encode(target.trim()));
  return tokenizer.decode(ids.slice(0, Math.max(0, maxTokens - specialTokens)));
}

/** Without the special tokens that decoding may leave, and without white space at the ends. */
export function cleanPrediction(text: string): string {
  return text.replaceAll(/<\/?s>|<pad>/g, '').trim();
}

/**
 * The place of the first perfect prediction, 1-based, or `undefined`.
 *
 * @param rule `paper`: equal texts after {@link cleanPrediction}; `strict`: the same tokens, however they are spaced. Pass
 *   the truth of {@link cutTruth} for the first, the whole target for the second.
 */
export function perfectRank(
  predictions: readonly string[],
  truth: string,
  rule: 'paper' | 'strict',
): number | undefined {
  const normal = rule === 'paper' ? cleanPrediction : (text: string) => splitTokens(cleanPrediction(text)).join(' ');
  const wanted = normal(truth);
  const index = predictions.findIndex((prediction) => normal(prediction) === wanted);
  return index < 0 ? undefined : index + 1;
}

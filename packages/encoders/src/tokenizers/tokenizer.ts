/**
 * A model's tokenizer. `encode` and `decode` know no special tokens: `<s>` in a text is three characters of source, never
 * the model's start token, so that no source can forge one. Only tokens given to `addTokens` are found in a text.
 */
export interface Tokenizer {
  /** Preset and digest of the vocabulary, then the added tokens if any: what a record of encoded rows names. */
  readonly id: string;
  /** One more than the highest id: rows that the model's embedding table needs. */
  readonly size: number;
  /** Ids that the model expects before every input, such as `<s>`. */
  readonly prefix: Int32Array;
  /** Ids that the model expects after every input, such as `</s>`. */
  readonly suffix: Int32Array;
  /** The id that fills short rows of a batch. */
  readonly padId: number;
  /** Most tokens that the model reads, special tokens included. */
  readonly maxTokens: number;
  /** Ids of a text. A lone surrogate counts as U+FFFD. */
  encode(text: string): Int32Array;
  /** The text of ids. Where a cut went through a character, its bytes come back as U+FFFD. */
  decode(ids: ArrayLike<number>): string;
  /** A tokenizer that also finds these tokens, longest first, with ids from `size` on. Tokens it knows keep their ids; this one is left as it was. */
  addTokens(tokens: readonly string[]): Tokenizer;
  /** UTF-16 units of `text` that the first `count` of its `ids` cover. Needed only where decoding does not give the text back. */
  covered?(text: string, ids: Int32Array, count: number): number;
  /** The ids of each text, equal to those of `encode`, where many at once are faster. */
  encodeBatch?(texts: readonly string[]): Promise<Int32Array[]>;
}

/** A tokenizer that takes many texts at once. */
export interface BatchTokenizer extends Tokenizer {
  encodeBatch(texts: readonly string[]): Promise<Int32Array[]>;
  addTokens(tokens: readonly string[]): BatchTokenizer;
}

/** Room for one input. */
export interface Budget {
  tokenizer: Tokenizer;
  /** Most ids in one input, special tokens included. */
  maxTokens: number;
}

/** UTF-16 units of `text` that the first `count` of its `ids` cover whole. */
export function coveredLength(tokenizer: Tokenizer, text: string, ids: Int32Array, count: number): number {
  if (count >= ids.length) return text.length;
  if (count === 0) return 0;
  if (tokenizer.covered) return tokenizer.covered(text, ids, count);
  const decoded = tokenizer.decode(ids.subarray(0, count));
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  let length = 0;
  while (length < decoded.length && decoded[length] === wellFormed[length]) length++;
  return length;
}

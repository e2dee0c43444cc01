/** What one batched step gives. */
export interface StepResult<State> {
  /**
   * Natural logarithms of the next token's probabilities, rows x vocabulary, row after row. The search may write to it
   * and reads it no more once the next step begins, so a decoder may give the same array each time.
   */
  logProbabilities: Float32Array;
  state: State;
}

/**
 * An autoregressive decoder as the searches of this package use it: all rows of all samples in one call. `State` is
 * whatever it carries from token to token (a key-value cache, the encoder's output, a prefix); the searches only pass it
 * on, each state to one later call at most.
 */
export interface DecoderStep<State> {
  readonly vocabularySize: number;
  /**
   * Feeds one token to each row. Row `i` of the result goes on from row `rows[i]` of `state`: rows may repeat (a beam
   * splits), change order, or be left out (a beam is done). In the first call `rows` is 0, 1, ... once for each sample
   * and every token is the start token.
   */
  step(state: State, rows: Int32Array, tokens: Int32Array): Promise<StepResult<State>>;
  /** Frees what a state holds; called once for the last one, also when the search fails or is stopped. */
  release?(state: State): void;
}

/** When a search begins and ends, whatever its rule. */
export interface DecodeLimits {
  startToken: number;
  endToken: number;
  /** Most tokens generated, the end token included. Hugging Face's `max_length` counts the start token too: pass one less. */
  maxNewTokens: number;
  /** Tokens generated before the end token may come. Default 0. */
  minNewTokens?: number;
}

/** One decoded sequence. */
export interface Hypothesis {
  /** Without the start token and the end token. */
  tokens: Int32Array;
  /** Sum of the log-probabilities of the tokens, the end token's included. */
  logProbability: number;
  /** What the search ranks by; equal to `logProbability` where its rule has no length penalty. */
  score: number;
  /** Whether the end token came before the limit. */
  finished: boolean;
}

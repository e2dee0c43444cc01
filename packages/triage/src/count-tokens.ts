/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/**
 * The counter of OpenAI's `o200k_base` encoding, exact for the GPT-4o and later families and an estimate for others.
 * Loads its vocabulary (about 0.3 s) on the first call.
 */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // words like <|endoftext|> in evidence are plain text; a run of letters without end costs the encoder quadratic time
  return (text) =>
    countTokens(text.replace(/[^\s]{400}/g, '$& '), { disallowedSpecial: new Set(), allowedSpecial: new Set() });
}

import { RedefError } from '@redef/core';

/** How a pretrained model wants its inputs framed, and where its vocabulary is published. */
export interface TokenizerPreset {
  readonly name: string;
  /** Special tokens before the text, by their content. */
  readonly prefix: readonly string[];
  readonly suffix: readonly string[];
  readonly pad: string;
  /** Most tokens the model reads, special tokens included. */
  readonly maxTokens: number;
  /** Rows of the model's embedding table in use: tags are added after them even where the vocabulary file has fewer ids. */
  readonly reservedIds: number;
  /** The model's repository on the Hugging Face hub. */
  readonly hub: string;
}

const roberta = { prefix: ['<s>'], suffix: ['</s>'], pad: '<pad>', maxTokens: 512 } as const;
const unixcoder = {
  ...roberta,
  prefix: ['<s>', '<encoder-only>', '</s>'],
  reservedIds: 51_416,
  hub: 'microsoft/unixcoder-base-nine',
} as const;

/** The models of ReDef, section 4.2, and GraphCodeBERT of R+R. CodeT5+ has 100 sentinel tokens after its 32,000. */
export const tokenizerPresets = {
  codebert: { ...roberta, name: 'codebert', reservedIds: 50_265, hub: 'microsoft/codebert-base' },
  graphcodebert: { ...roberta, name: 'graphcodebert', reservedIds: 50_265, hub: 'microsoft/graphcodebert-base' },
  unixcoder: { ...unixcoder, name: 'unixcoder' },
  'unixcoder-1024': { ...unixcoder, name: 'unixcoder-1024', maxTokens: 1024 },
  codet5p: { ...roberta, name: 'codet5p', reservedIds: 32_100, hub: 'Salesforce/codet5p-220m' },
  /** Any other vocabulary of RoBERTa's kind: `<s> text </s>`, 512. */
  roberta: { ...roberta, name: 'roberta', reservedIds: 0, hub: 'FacebookAI/roberta-base' },
} as const satisfies Record<string, TokenizerPreset>;

export type TokenizerPresetName = keyof typeof tokenizerPresets;

/** @throws `RedefError` `unknown-preset` */
export function presetOf(preset: TokenizerPresetName | TokenizerPreset): TokenizerPreset {
  if (isPreset(preset)) return preset;
  if (typeof preset !== 'string' || !Object.hasOwn(tokenizerPresets, preset)) {
    throw new RedefError(`There is no tokenizer preset ${JSON.stringify(preset) ?? 'undefined'}`, {
      code: 'unknown-preset',
      remedy: `Choose one of ${Object.keys(tokenizerPresets).join(', ')}, or pass an object of your own.`,
    });
  }
  return tokenizerPresets[preset];
}

function isPreset(value: unknown): value is TokenizerPreset {
  if (typeof value !== 'object' || value === null) return false;
  const { name, prefix, suffix, pad, maxTokens, reservedIds } = value as Partial<
    Record<keyof TokenizerPreset, unknown>
  >;
  const areTexts = (texts: unknown) => Array.isArray(texts) && texts.every((text) => typeof text === 'string');
  return (
    typeof name === 'string' &&
    typeof pad === 'string' &&
    areTexts(prefix) &&
    areTexts(suffix) &&
    Number.isInteger(maxTokens) &&
    Number.isInteger(reservedIds)
  );
}

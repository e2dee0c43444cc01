// The package declares no types for this file of its own, the one part of it that needs no runtime.
declare module '@xenova/transformers/src/tokenizers.js' {
  import type { TransformersTokenizer } from '@redef/encoders';

  export const PreTrainedTokenizer: new (definition: unknown, config: object) => TransformersTokenizer;
}

export type { Counterfactual, Effect } from './counterfactuals/counterfactual.js';
export {
  type CounterfactualName,
  type CounterfactualOptions,
  type CounterfactualTraits,
  counterfactualNames,
  counterfactualTraits,
  createCounterfactual,
  paperCounterfactuals,
} from './counterfactuals/create-counterfactual.js';
export { type Movement, type ScorePair, type Sensitivity, sensitivityOf } from './counterfactuals/sensitivity.js';
export { diffLines, type Edit, type LineDiff } from './diff/line-diff.js';
export type { TextLines } from './diff/text-lines.js';
export { type EncodeChangesOptions, type Encoder, encodeChanges } from './encode-changes.js';
export {
  type EncodedCounts,
  EncodingSummarizer,
  type EncodingSummary,
  type LengthDistribution,
} from './encoding-summary.js';
export {
  contextEncodings,
  createEncoding,
  type EncodingName,
  type EncodingOptions,
  encodingNames,
  paperEncodings,
} from './encodings/create-encoding.js';
export type { Encoding, RecoveredChange } from './encodings/encoding.js';
export { type EncodedChange, fitIds, fitLayout, withMarks } from './fit.js';
export { type ChangeText, type Layout, renderLayout, type Section, type ShownLines } from './layout.js';
export type { HubOptions } from './tokenizers/hub.js';
export { createLexicalTokenizer, type LexicalTokenizerOptions } from './tokenizers/lexical-tokenizer.js';
export { type LoadTokenizerOptions, loadTokenizer } from './tokenizers/load-tokenizer.js';
export { type TokenizerPreset, type TokenizerPresetName, tokenizerPresets } from './tokenizers/presets.js';
export type { BatchTokenizer, Budget, Tokenizer } from './tokenizers/tokenizer.js';
export { fromTransformers, type TransformersTokenizer } from './tokenizers/transformers-tokenizer.js';

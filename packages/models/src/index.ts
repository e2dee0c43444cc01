export { type ModelConfig, maxInputTokens, parseConfig, type RobertaConfig, type T5Config } from './config.js';
export {
  type CachedDecoder,
  type CacheSizes,
  type DecoderMemory,
  type StepInputs,
  type StepOutputs,
  stepInputs,
} from './decoding/decoder-cache.js';
export { adaptLayers, type BuildOptions, type LayerAdapter } from './layers.js';
export { readConfig } from './read-config.js';
export { robertaClassifier } from './roberta/classifier.js';
export { robertaCachedDecoder } from './roberta/decoder-cache.js';
export { type RobertaEncoding, robertaEncoder } from './roberta/encoder.js';
export { type RobertaSeq2SeqOptions, robertaSeq2Seq } from './roberta/seq2seq.js';
export { t5Classifier } from './t5/classifier.js';
export { t5CachedDecoder } from './t5/decoder-cache.js';
export { t5Encoder } from './t5/encoder.js';
export { t5Seq2Seq } from './t5/seq2seq.js';
export type { T5Memory } from './t5/stack.js';
export { type Checkpoint, type CheckpointTensor, openCheckpoint, weightFiles } from './weights/checkpoint.js';
export { type LoadReport, type LoadWeightsOptions, loadWeights, readWeight } from './weights/load.js';
export { type TensorToWrite, writeSafetensors } from './weights/safetensors.js';
export { saveWeights } from './weights/save.js';

export { PairList, type SequencePairs } from './model/pair-list.js';
export {
  type PredictOptions,
  predictRepairs,
  type RepairCandidate,
  type RepairSearch,
} from './model/predict-repairs.js';
export {
  loadRepairWeights,
  paperSettings,
  type RepairModel,
  type RepairSettings,
  readRepairModel,
  repairDecoder,
  repairLogits,
  saveRepairModel,
} from './model/repair-model.js';
export { Seq2SeqDecoder, type Seq2SeqDecoderOptions, type Seq2SeqState } from './model/seq2seq-decoder.js';
export { type Seq2SeqTask, type Seq2SeqTaskOptions, seq2seqTask } from './model/seq2seq-task.js';
export {
  type SequencePair,
  type SequenceTokenizer,
  type TokenizedText,
  tokenizeSample,
  tokenizeText,
} from './model/sequence-pair.js';
export {
  fineTuningSettings,
  preTrainingSettings,
  type TrainedRepairModel,
  type TrainRepairOptions,
  trainRepairModel,
} from './model/train-repair-model.js';
export { validationLoss } from './model/validation-loss.js';

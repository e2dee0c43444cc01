export type {
  EpochMetrics,
  Example,
  Score,
  TrainedModel,
  TrainingEngine,
  TrainingEvent,
  TrainingJob,
} from './engine.js';
export {
  type CheckpointLostEvent,
  type EpochEvent,
  type FitEpoch,
  type FitEvent,
  type FitLoopOptions,
  type FitResult,
  fitLoop,
  type StepEvent,
} from './fit/fit-loop.js';
export { defaultFitSettings, type FitSettings } from './fit/settings.js';
export type { BatchShape, Task, Validation } from './fit/task.js';
export { createLinearEngine, type LinearEngineOptions } from './linear/linear-engine.js';
export type { Lora } from './onnx/lora.js';
export { mergeAdapter } from './onnx/merge-adapter.js';
export type { ModelSource } from './onnx/model-source.js';
export { createOnnxEngine } from './onnx/onnx-engine.js';
export type { OnnxEngineOptions } from './onnx/options.js';
export { createFitLog } from './tensorboard/fit-log.js';

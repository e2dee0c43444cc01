export type { EpochMetrics, Example, Score, TrainedModel, TrainingEngine, TrainingJob } from './engine.js';
export { createLinearEngine, type LinearEngineOptions } from './linear/linear-engine.js';

export { type DatedChange, splitByTime, timeSplitRule } from './split.js';
export { runStage, type Stage, type StageOptions, type StageOutcome, type StageResult } from './stage.js';
export { type SplitStageInput, splitStage } from './stages/split.js';

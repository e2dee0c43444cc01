export { type DeduplicatedSplit, deduplicateSplit, type PairRow } from './deduplicate.js';
export { type Cell, type Condition, evaluateCell, summarise } from './evaluate.js';
export type { ExampleFolders } from './examples.js';
export { importResults } from './import-results.js';
export { composeReport, resultTable, ruleBasedWarning } from './report/compose.js';
export type { Block, ReportDocument, Table } from './report/document.js';
export { drawFigures, type Figure } from './report/figures.js';
export { renderHtml } from './report/html.js';
export { renderLatex } from './report/latex.js';
export { renderMarkdown } from './report/markdown.js';
export { writeReport } from './report/write-report.js';
export {
  collectResults,
  type EncodingSummary,
  type ProjectSummary,
  type StageSummary,
  type StudyData,
  type StudyResults,
} from './results.js';
export { paperSeeds } from './seeds.js';
export { type DatedChange, type SplitRule, splitChanges, splitRuleName } from './split.js';
export { runStage, type Stage, type StageOptions, type StageOutcome, type StageResult } from './stage.js';
export { type DedupStageInput, dedupStage } from './stages/dedup.js';
export { type EncodeStageInput, encodeStage } from './stages/encode.js';
export { importStage } from './stages/import.js';
export { type MineStageInput, mineStage } from './stages/mine.js';
export { type PredictStageInput, predictStage } from './stages/predict.js';
export { reportStage } from './stages/report.js';
export { type SplitStageInput, splitStage } from './stages/split.js';
export { type TrainingRecord, type TrainStageInput, trainStage } from './stages/train.js';
export { readCandidates, type TriageStageInput, triageStage } from './stages/triage.js';
export {
  type CounterfactualComparison,
  type EncodingComparison,
  equivalenceMargin,
  type StudyStatistics,
  studyStatistics,
} from './statistics.js';
export { runStudy, type Study, type StudyEvent, type StudyOptions } from './study.js';
export { type StudyFolder, studyFolder } from './study-folder.js';
export { type RunKey, readPlan, type StudyPlan } from './study-plan.js';
export { type TableMetrics, type TrivialPredictor, tableMetricNames, trivialPredictors } from './trivial.js';

export { type Cell, cellKey, cellSchema, cellTitle, type EngineSpec, shownName } from './cells/cell.js';
export { createEngine, type EngineContext, type EngineFactory, studyEngines } from './cells/engines.js';
export {
  type CellEvent,
  createSequentialExecutor,
  type Executor,
  type ExecutorRun,
  eventOf,
  inOrder,
} from './cells/executor.js';
export { type CellOutcome, type RunCellOptions, runCell } from './cells/run-cell.js';
export {
  type CellFailure,
  type CellState,
  cellState,
  finishedCell,
  type RunStore,
  runStore,
} from './cells/run-store.js';
export { type DeduplicatedSplit, deduplicateSplit, type PairRow } from './deduplicate.js';
export { averageFolds, type CellResult, type Condition, evaluateCell, summarise } from './evaluate.js';
export type { ExampleFolders } from './examples.js';
export { createLocalExecutor, type LocalOptions } from './executors/local.js';
export type { SlurmResources } from './executors/slurm/script.js';
export { createSlurmExecutor, type SlurmOptions } from './executors/slurm/slurm.js';
export { readSlurmCells, type SlurmCell } from './executors/slurm/status.js';
export { importResults } from './import-results.js';
export { type CellPlan, type ExampleSource, planCells, type Shown, type StudyModel } from './plan-cells.js';
export { pruneStore, type UnusedCell } from './prune-store.js';
export { repairReport, scoreTable, writeRepairReport } from './repair-study/report.js';
export {
  type LeakScore,
  type RepairCellEvent,
  type RepairStudy,
  type RepairStudyResults,
  runRepairStudy,
  type ScenarioScore,
} from './repair-study/run-repair-study.js';
export {
  type DataScenario,
  dataScenarios,
  publishedValidation,
  type RepairRow,
  type RepairScenario,
  type RepairSplit,
  repairScenarios,
  splitFor,
} from './repair-study/scenarios.js';
export { composeReport, ruleBasedWarning } from './report/compose.js';
export { type Block, type Link, type ReportDocument, type Table, textOf } from './report/document.js';
export type { Figure } from './report/draw.js';
export { renderHtml } from './report/html.js';
export { renderLatex } from './report/latex.js';
export { renderMarkdown } from './report/markdown.js';
export { resultTable } from './report/result-tables.js';
export { reportFiles } from './report/write-report.js';
export {
  collectResults,
  type EncodingSummary,
  type MissingCell,
  type ProjectSummary,
  type SplitSummary,
  type StageSummary,
  type StoredResult,
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
  type StudyStatistics,
  studyStatistics,
} from './statistics.js';
export { defaultStatistics, type StatisticsSettings } from './statistics-settings.js';
export { linearModel, runStudy, type Study, type StudyEvent, type StudyOptions } from './study.js';
export type { ModelContext } from './study-file/models.js';
export { checkStudy, defineStudy, readStudyFile } from './study-file/read.js';
export { type StudyFile, type StudyFileInput, studyFileSchema } from './study-file/schema.js';
export { type StudyDesign, studyDesign } from './study-file/to-study.js';
export { type FoldFolder, type StudyFolder, studyFolder } from './study-folder.js';
export { cellsOf, listCells, readPlan, type StudyPlan, storeOf } from './study-plan.js';
export { type CellCounts, type StudyStatus, studyStatus } from './study-status.js';
export { type TableMetrics, type TrivialPredictor, tableMetricNames, trivialPredictors } from './trivial.js';

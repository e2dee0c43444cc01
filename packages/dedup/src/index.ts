export { auditChanges, type SplitChange } from './audit-changes.js';
export { type AuditDataOptions, auditData } from './audit-data.js';
export type { AuditorOptions, DataAudit, HiddenLeaks } from './auditor.js';
export type { CloneCluster, CloneKind, CloneLeak } from './clone-clusters.js';
export type { CloneLink, NearDuplicateOptions, NearDuplicates } from './clones.js';
export type { ContradictionExample, LabelContradictions } from './contradictions.js';
export { type CorpusOverlap, type CorpusOverlapOptions, findCorpusOverlap, type SetOverlap } from './corpus-overlap.js';
export type { F1Inflation } from './f1.js';
export { type EstimateInflationOptions, estimateInflation, type InflationEstimate } from './inflation.js';
export type { Interval, Proportion } from './intervals.js';
export { inferLayout, type Layout, type LayoutOptions } from './layout.js';
export type { GroupLeaks } from './leaks.js';
export type { AfterPolicy, LevelAudit, SetCounts } from './level-counts.js';
export { defaultLevels, type Level, type LevelOption, levelName, parseLevel } from './levels.js';
export { type BandPlan, expectedRecall, planBands } from './minhash.js';
export { findNearDuplicates } from './near-duplicates.js';
export { type LengthSummary, type QualityIssue, qualityIssues, type SetQuality } from './quality.js';
export {
  collectDeduplicated,
  type Deduplicated,
  type RemovalPolicy,
  type RemovalReason,
  type RemoveDuplicatesOptions,
  type RowDecision,
  removeDuplicates,
} from './remove-duplicates.js';
export { type AuditReportParts, auditTables } from './report/audit-tables.js';
export { renderAuditHtml } from './report/html.js';
export { renderAuditMarkdown } from './report/markdown.js';
export type { AuditTable } from './report/tables.js';
export { auditVerdicts } from './report/verdicts.js';
export type { DataSets, Row, RowRef } from './rows.js';
export { stripMarkers, stripTag, tagOf } from './strip.js';
export type { TimeOrder } from './time-order.js';

export { cohenKappa, type Interval, wilsonInterval } from './agreement.js';
export { bringTogether, type Verdict } from './audit/adjudicate.js';
export { type AuditEntry, type Review, replay } from './audit/answer-log.js';
export {
  type AuditFolder,
  adjudicator,
  type CreateAuditOptions,
  createAudit,
  createLabelAudit,
  type LabelAuditOptions,
  readAudit,
  readReviews,
} from './audit/folder.js';
export {
  type AuditItem,
  labelItem,
  parseAuditItem,
  type VulnerabilitySample,
  vulnerabilityItem,
} from './audit/item.js';
export {
  type Answers,
  labelQuestions,
  parseQuestionSet,
  type Question,
  type QuestionSet,
  questionSets,
  vulnerabilityQuestions,
} from './audit/question-set.js';
export {
  type AnswerCounts,
  type AuditReport,
  auditReport,
  type GroupRow,
  type PairAgreement,
  type Precision,
  type QuestionReport,
  renderAuditReport,
} from './audit/report.js';
export { drawSample, type Sample, type Stratum } from './audit/sample.js';
export { type AuditServer, type ServeAuditOptions, serveAudit } from './audit/serve.js';

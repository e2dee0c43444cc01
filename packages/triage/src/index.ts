export { cohenKappa, fleissKappa, type Interval, wilsonInterval } from './agreement.js';
export { type Answer, answerJsonSchema, parseAnswer, quoteChecker } from './answer.js';
export { type Budget, createBudget } from './budget.js';
export { createMemoryCache, type VoteCache, voteKey } from './cache.js';
export { type CountTokens, loadTokenCounter } from './count-tokens.js';
export { type Decision, decide, type Rule } from './decide.js';
export { type EstimateOptions, estimateTriage, type TriageEstimate, type VoterEstimate } from './estimate.js';
export { buildEvidence, type Evidence, type EvidenceOptions, type EvidenceSection } from './evidence.js';
export { type BatchOptions, type BatchReport, voteByBatch } from './openai/batch/vote-by-batch.js';
export { keyMask } from './openai/key-mask.js';
export { type ModelAddress, parseModelAddress, serverOf } from './openai/model-address.js';
export { contentSchema } from './openai/request.js';
export { createOpenAIVoter, type OpenAIVoterOptions } from './openai/voter.js';
export { defaultPrices, type ModelPrice, type PriceTable, parsePrices } from './prices.js';
export { type Prompt, promptVersion, renderPrompt } from './prompt.js';
export { cleanRubric, defectiveRubric, type Rubric, rubricFor } from './rubric.js';
export { createRuleVoter } from './rule-voter.js';
export {
  type BallotAgreement,
  type ClassSummary,
  type PairSummary,
  renderTable1,
  type TriageSummary,
  type VoterSummary,
} from './summary.js';
export { type Candidate, type TriageOptions, type TriageRow, triage } from './triage.js';
export { openVoteFile, type VoteFile } from './vote-file.js';
export type { TriageEvent, VoteRun, Voter } from './voter.js';

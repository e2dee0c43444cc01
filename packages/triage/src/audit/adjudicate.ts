import { type Answers, applicable, isComplete, type Question, type QuestionSet, relevant } from './question-set.js';

/** How far the reviewers' answers to one item have come together. */
export interface Verdict {
  /** What reviewers agree on, and what the adjudicator decided where they do not. */
  answers: Answers;
  /** `waiting`: some reviewer is not through. `disputed`: the adjudicator has to decide. `final`: every question that applies is answered. */
  status: 'waiting' | 'disputed' | 'final';
  /** Questions that the reviewers answered differently, whether decided or not. */
  disputes: Question[];
}

/**
 * Brings the answers to one item together: where all reviewers gave the same answer it stands, elsewhere the
 * adjudicator's. A question that applies only by the adjudicator's decision is the adjudicator's to answer.
 */
export function bringTogether(set: QuestionSet, reviews: readonly Answers[], adjudication: Answers): Verdict {
  if (reviews.length === 0 || reviews.some((answers) => !isComplete(set, answers))) {
    return { answers: {}, status: 'waiting', disputes: [] };
  }
  const given = reviews.map((answers) => relevant(set, answers));
  const answers: Record<string, string> = {};
  const disputes: Question[] = [];
  for (const question of set.questions) {
    if (!applicable(set, answers).includes(question)) continue;
    const values = new Set(given.map((one) => one[question.id]));
    const [value] = values;
    if (values.size === 1 && value !== undefined) {
      answers[question.id] = value;
      continue;
    }
    disputes.push(question);
    const decided = adjudication[question.id];
    if (decided !== undefined) answers[question.id] = decided;
  }
  return { answers, status: isComplete(set, answers) ? 'final' : 'disputed', disputes };
}

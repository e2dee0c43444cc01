import { type Category, Counter, type Label, RedefError, type Reject, type Vote } from '@redef/core';
import type { Rubric } from './rubric.js';

/**
 * When a candidate is kept. `unanimous-ab`, the paper's: every ballot is A or B. `unanimous`: every ballot is the same
 * of A and B. `majority-ab`: more than half of the ballots are A or B.
 */
export type Rule = 'unanimous-ab' | 'unanimous' | 'majority-ab';

export interface Decision {
  label?: Label;
  reject?: Reject;
}

/**
 * Counts the ballots of one candidate (ReDef, section 3.1). The sub-class is the majority's; where A and B are tied it
 * is `null`. An abstention is never A or B, and is told apart from a C in the reason.
 *
 * @throws `RedefError` `invalid-option` for a rule of another name
 */
export function decide(rubric: Rubric, votes: readonly Vote[], rule: Rule = 'unanimous-ab'): Decision {
  checkRule(rule);
  const counts = new Counter();
  for (const { category } of votes) counts.add(category ?? 'abstained');
  const a = counts.get('A');
  const b = counts.get('B');
  const id = votes[0]!.id;

  if (!keeps[rule](a, b, votes.length)) {
    const c = counts.get('C');
    const reason = c > 0 ? 'voted-other' : counts.get('abstained') > 0 ? 'abstained' : 'split';
    return {
      reject: {
        schema: 'redef.reject/1',
        id,
        stage: 'triage',
        reason,
        detail: spell(votes.map((vote) => vote.category)),
      },
    };
  }
  return {
    label: {
      schema: 'redef.label/1',
      id,
      label: rubric.label,
      transition: a === b ? null : rubric.transitions[a > b ? 'A' : 'B'],
      agreed: Math.max(a, b) === votes.length,
      decided_by: `${rule}/${votes.length} by ${[...new Set(votes.map(({ voter }) => voter))].join(', ')}`,
      rule_based: votes.some((vote) => vote.rule_based),
    },
  };
}

const keeps: Record<Rule, (a: number, b: number, ballots: number) => boolean> = {
  'unanimous-ab': (a, b, ballots) => a + b === ballots,
  unanimous: (a, b, ballots) => Math.max(a, b) === ballots,
  'majority-ab': (a, b, ballots) => 2 * (a + b) > ballots,
};

/** @throws `RedefError` `invalid-option` */
export function checkRule(rule: string): void {
  if (Object.hasOwn(keeps, rule)) return;
  throw new RedefError(`there is no rule called ${rule}`, {
    code: 'invalid-option',
    remedy: `Choose one of ${Object.keys(keeps).join(', ')}.`,
  });
}

/** `A/B/C`, an abstention as `-`. */
const spell = (categories: readonly (Category | null)[]) => categories.map((category) => category ?? '-').join('/');

import type { Category, Vote } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeCandidates } from '../test/candidates.js';
import { decide, type Rule } from './decide.js';
import { cleanRubric, defectiveRubric } from './rubric.js';
import { createRuleVoter } from './rule-voter.js';
import { triage } from './triage.js';

const votes = (spelled: string, voter = 'm'): Vote[] =>
  [...spelled].map((letter, ballot) => ({
    schema: 'redef.vote/1',
    id: 'a'.repeat(40),
    ballot,
    voter,
    rule_based: voter === 'rules/1',
    rubric: 'redef-defective/1',
    category: letter === '-' ? null : (letter as Category),
    rationale: '',
    quotes: [],
    evidence_digest: '',
  }));

/** Label's transition, `split` where the ballots are divided; or the reason of the reject. */
function outcome(spelled: string, rule?: Rule, rubric = defectiveRubric): string {
  const { label, reject } = decide(rubric, votes(spelled), rule);
  return label ? `${label.transition}${label.agreed ? '' : ' split'}` : reject!.reason;
}

test("the paper's examples", () => {
  expect(outcome('AAA')).toBe('defective->defective');
  expect(outcome('BBB')).toBe('clean->defective');
  expect(outcome('ABB')).toBe('clean->defective split');
  expect(outcome('AAC')).toBe('voted-other');
  expect(outcome('AAA', 'unanimous-ab', cleanRubric)).toBe('defective->clean');
  expect(outcome('BAB', 'unanimous-ab', cleanRubric)).toBe('clean->clean split');
});

test('an abstention is never taken for A or B, and a tie names no sub-class', () => {
  expect(outcome('AA-')).toBe('abstained');
  expect(outcome('AC-')).toBe('voted-other');
  expect(outcome('AB')).toBe('null split');
  expect(outcome('A')).toBe('defective->defective');
});

test('the other rules', () => {
  expect(outcome('ABB', 'unanimous')).toBe('split');
  expect(outcome('BBB', 'unanimous')).toBe('clean->defective');
  expect(outcome('AAC', 'majority-ab')).toBe('defective->defective split');
  expect(outcome('AC-', 'majority-ab')).toBe('voted-other');
  expect(outcome('A-', 'majority-ab')).toBe('abstained');
});

test('each rule keeps what it says, for any ballots', () => {
  const ballot = fc.constantFrom('A', 'B', 'C', '-');
  fc.assert(
    fc.property(fc.array(ballot, { minLength: 1, maxLength: 7 }), (ballots) => {
      const spelled = ballots.join('');
      const ab = ballots.filter((one) => one === 'A' || one === 'B').length;
      const kept = (rule: Rule) => decide(defectiveRubric, votes(spelled), rule).label !== undefined;
      expect(kept('unanimous-ab')).toBe(ab === ballots.length);
      expect(kept('unanimous')).toBe(/^(A+|B+)$/.test(spelled));
      expect(kept('majority-ab')).toBe(ab > ballots.length / 2);
    }),
  );
});

test('a label says who decided it and whether a rule was among them', () => {
  const mixed = [...votes('A', 'openai:x'), ...votes('A', 'rules/1')];
  expect(decide(defectiveRubric, mixed).label).toMatchObject({
    decided_by: 'unanimous-ab/2 by openai:x, rules/1',
    rule_based: true,
  });
});

test('a rule of another name is refused, also by a run before it votes', async () => {
  for (const rule of ['x', 'toString', '__proto__', ''] as unknown as Rule[]) {
    expect(() => decide(defectiveRubric, votes('AAA'), rule)).toThrow(/there is no rule called/);
    const voter = { ...createRuleVoter(), vote: () => Promise.reject(new Error('was asked')) };
    await expect(triage(makeCandidates(1), { voters: [voter], rule }).next()).rejects.toMatchObject({
      code: 'invalid-option',
    });
  }
});

import { expect, test } from 'vitest';
import { cleanEvidence, makeChange, revertEvidence } from '../test/candidates.js';
import { quoteChecker } from './answer.js';
import { buildEvidence } from './evidence.js';
import { createRuleVoter } from './rule-voter.js';

const voter = createRuleVoter();

async function judge(message: string, revert?: string): Promise<string> {
  const change = makeChange(1, { message });
  const evidence = buildEvidence(change, revert === undefined ? cleanEvidence(change) : revertEvidence(change, revert));
  const vote = await voter.vote(evidence, 0);
  expect(vote).toMatchObject({ rule_based: true, voter: 'rules/1', ballot: 0 });
  expect(quoteChecker(evidence)(vote.quotes)).toEqual([]);
  return String(vote.category);
}

test('reverted changes', async () => {
  const hash = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0';
  const revert = (reason: string) => `Revert "Fix the leak"\n\nThis reverts commit ${hash}.\n\n${reason}`;
  expect(await judge('Fix the leak', revert('It crashes on start.'))).toBe('A');
  expect(await judge('Add a cache', revert('It crashes on start.'))).toBe('B');
  expect(await judge('Fix the leak', revert(''))).toBe('C');
  expect(await judge('Add a cache', revert('Superseded by the new pool.'))).toBe('C');
  expect(
    await judge(
      'Add a cache',
      `Revert "Remap errors (#3193)" (#3565)\n\nThis reverts commit ${hash}.\n\nRefs: https://example.org/issues/7`,
    ),
  ).toBe('C');
  // a failure named only in the title of what was reverted, or in a trailer, is no reason
  expect(
    await judge('Fix the crash', `Revert "Fix the crash"\n\nThis reverts commit ${hash}.\nTested-by: crash bot`),
  ).toBe('C');
});

test('clean changes', async () => {
  expect(await judge('Fix off-by-one in the parser')).toBe('A');
  expect(await judge('Add a fast path for short keys')).toBe('B');
  expect(await judge('wip')).toBe('C');
  expect(await judge('Merge branch into main again')).toBe('C');
});

import { describe, expect, test } from 'vitest';
import { parseRevertMessage } from './parse-message.js';

const a = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';
const b = 'b2c3d4e5f60718293a4b5c6d7e8f900112233445';
const short = (message: string): string[] =>
  parseRevertMessage(message).reverts.map(({ reference, shape, strict }) => {
    const name = Object.values(reference)[1];
    return `${strict ? 'strict' : 'loose'} ${shape} ${name === a ? 'A' : name === b ? 'B' : name}`;
  });

describe('revert wording before an id is strict', () => {
  test.each([
    [`Revert "x"\n\nThis reverts commit ${a}.`, ['strict this-reverts-commit A', 'loose quoted-subject x']],
    [
      `Subject\n\nThis reverts commit ${a.slice(0, 8)}, which broke it`,
      [`strict this-reverts-commit ${a.slice(0, 8)}`],
    ],
    [
      `Subject\n\nThis reverts commits ${a} and ${b}.`,
      ['strict this-reverts-commit A', 'strict this-reverts-commit B'],
    ],
    [`Revert ${a}\n\nand ${b} explains why`, ['strict revert-wording A', 'loose context B']],
    [`Subject\n\nReverts: ${a}\nReverts: ${b}`, ['strict reverts-trailer A', 'strict reverts-trailer B']],
    [`Reverted ${a}, ${b}`, ['strict revert-list A', 'strict revert-list B']],
    [
      `This reverts the following commits:\n\n- ${a} one\n- ${b} two\n\nEnd`,
      ['strict revert-list A', 'strict revert-list B'],
    ],
    [
      `These are the reverted commits:\n\n"Draw it twice"\ncommit ${a}\n\n"Draw it (again)"\ncommit ${b}\n\nEnd`,
      ['strict revert-list A', 'strict revert-list B'],
    ],
    [
      `Partial revert of the cache parts added in commits\n${a} and\n${b}. They were slow.`,
      ['strict partial-revert A', 'strict partial-revert B'],
    ],
    [`x: revert the new default introduced with ${a.slice(0, 9)}`, [`strict revert-wording ${a.slice(0, 9)}`]],
    [`Partially revert ${a}`, ['strict partial-revert A']],
    [`This reverts part of commit ${a}`, ['strict partial-revert A']],
    [`revert: do the thing\n\nRefs: ${a}`, ['strict conventional-revert A']],
    [
      `Revert "Revert \\"x\\""\n\nThis reverts commit ${a}.`,
      ['strict this-reverts-commit A', 'loose quoted-subject Revert \\"x\\"'],
    ],
    [`Back out ${a}`, ['strict backout A']],
    [`Backed out changeset ${a.slice(0, 12)} (bug 1)`, [`strict backout ${a.slice(0, 12)}`]],
    [`Revert https://example.org/o/r/commit/${a}`, ['strict revert-wording A']],
    [`Revert "Add x" (${a.slice(0, 10)})`, [`strict revert-wording ${a.slice(0, 10)}`, 'loose quoted-subject Add x']],
    [`This reverts commit ${a}, reversing\nchanges made to ${b}.`, ['strict this-reverts-commit A', 'loose context B']],
    [
      `Revert "x: revert ${b.slice(0, 8)} and more"\n\nThis reverts commit ${a}.`,
      [
        'strict this-reverts-commit A',
        `loose quoted-subject x: revert ${b.slice(0, 8)} and more`,
        `loose context ${b.slice(0, 8)}`,
      ],
    ],
    ['Revert "Revert r1234"', ['loose quoted-subject Revert r1234']],
    ['Revert r1234 and r1235', ['strict svn-revision 1234', 'strict svn-revision 1235']],
    ['Revert "x (#12)" (#13)\n\nReverts org/repo#12', ['strict pull-request 12', 'loose quoted-subject x (#12)']],
  ])('%j', (message, expected) => expect(short(message)).toEqual(expected));
});

describe('an id in other company is context', () => {
  test.each([
    [`Fix what the revert missed\n\nFixes: ${a}`, ['loose context A']],
    [`Revert to ${a}`, ['loose context A']],
    [`This was reverted in ${a}`, ['loose context A']],
    [`Reverted by ${a}`, ['loose context A']],
    [`Revert the fix for the crash introduced in ${a}`, ['loose context A']],
    [`Reverted in the branch that was made in ${a}`, ['loose context A']],
    [`Revert it. The cache was added in ${a}`, ['loose context A']],
    [`It can be done without reverting ${a}`, ['loose context A']],
    ['Revert the build of 20110412', []],
    [`Revert owner/repo@${a}`, []],
    [`Revert "x"\n\nChange-Id: I${a}`, ['loose quoted-subject x']],
    ['Mention nothing', []],
    [`Plain ${a}`, []],
  ])('%j', (message, expected) => expect(short(message)).toEqual(expected));
});

test('an abbreviated id of digits alone counts only after revert wording', () => {
  expect(short('Revert 1234567')).toEqual(['strict revert-wording 1234567']);
  expect(short('Revert the change of 1234567 users')).not.toContain('strict revert-wording 1234567');
});

test('the keyword is the paper’s: any form of "revert"', () => {
  expect(parseRevertMessage('Reverting this').keyword).toBe(true);
  expect(parseRevertMessage(`Back out ${a}`).keyword).toBe(false);
});

test('what lands again is told apart from what is reverted', () => {
  const { relands } = parseRevertMessage(`Reland ${a}`);
  expect(relands).toMatchObject([{ reference: { kind: 'hash', hash: a } }]);
  expect(parseRevertMessage(`Reapply "x"\n\nThis reverts commit ${a}.`)).toMatchObject({
    relands: [{ reference: { kind: 'subject', subject: 'x' } }],
    reverts: [{ reference: { hash: a }, strict: true }],
  });
});

test('long messages of any bytes take no longer than their length asks for', () => {
  for (const piece of [
    'revert ',
    'reverts commit a1b2c3d ',
    'revert "',
    'Revert: \n',
    'a1b2c3d,',
    'r123 and ',
    '(((((',
    ' \n \n',
    'revert a b added in ',
    '"\n',
  ]) {
    const started = performance.now();
    parseRevertMessage(`revert ${piece.repeat(20_000)}`);
    expect(performance.now() - started).toBeLessThan(5_000);
  }
});

test.each([
  (id: string) => `undo accidental revert of ${id} in 5ec2575`,
  (id: string) => `Undo the revert of commit ${id}`,
  (id: string) => `Revert the revert of ${id}`,
  (id: string) => `This undoes my earlier revert of ${id}.`,
])('a revert that is undone lands its target again, and is none of it: %#', (message) => {
  const { reverts, relands } = parseRevertMessage(message(a));
  expect(relands).toMatchObject([{ reference: { kind: 'hash', hash: a } }]);
  expect(reverts.filter(({ strict }) => strict)).toEqual([]);
});

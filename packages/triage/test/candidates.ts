import { type ChangeEvidence, type CodeChange, changeId, createRng } from '@redef/core';
import type { Candidate } from '../src/triage.js';

const before = `int table_insert(struct table *t, int key)
{
  if (t->used == t->size)
    return -1;
  t->slots[t->used++] = key;
  return 0;
}`;
const after = before.replace('return -1;', 'table_grow(t);');

/** A made-up change of one function; `index` makes it another one. */
export function makeChange(index: number, members: Partial<CodeChange> = {}): CodeChange {
  const identity = {
    project: `project-${index % 3}`,
    commit: index.toString(16).padStart(40, '0'),
    path: 'src/table.c',
    function_signature: 'int table_insert(struct table *t, int key)',
  };
  return {
    schema: 'redef.change/1',
    id: changeId(identity),
    ...identity,
    parent: 'f'.repeat(40),
    function_name: 'table_insert',
    language: 'c',
    committed_at: '2024-03-01T10:00:00+01:00',
    authored_at: '2024-03-01T10:00:00+01:00',
    message: `Grow the table on demand (${index})`,
    function_before: before,
    function_after: after,
    lines_before: { start: 10, end: 16 },
    lines_after: { start: 10, end: 16 },
    hunks: [{ old_start: 13, old_count: 1, new_start: 13, new_count: 1 }],
    extractor: 'scanner/1',
    confidence: 'high',
    ...members,
  };
}

export function revertEvidence(change: CodeChange, revert_message?: string): ChangeEvidence {
  return {
    schema: 'redef.evidence/1',
    id: change.id,
    kind: 'revert',
    revert_commit: 'e'.repeat(40),
    revert_message:
      revert_message ??
      `Revert "${change.message}"\n\nThis reverts commit ${change.commit}.\n\nIt crashes when the table is shared.`,
    reverted_at: '2024-03-05T10:00:00+01:00',
    shape: 'this-reverts-commit',
    loose: true,
    strict: true,
  };
}

export function cleanEvidence(change: CodeChange): ChangeEvidence {
  return { schema: 'redef.evidence/1', id: change.id, kind: 'clean', later_commits: [] };
}

/** Candidates of both classes, two reverted ones to every clean one, with functions of various lengths. */
export function* makeCandidates(count: number, seed = 1): Generator<Candidate> {
  for (let index = 0; index < count; index++) {
    const rng = createRng(seed).fork(index);
    const body = Array.from({ length: 5 + rng.integer(60) }, (_, line) => `  step_${line}(${rng.integer(1000)});`);
    const change = makeChange(index, {
      function_before: ['void run(void)', '{', ...body, '}'].join('\n'),
      function_after: ['void run(void)', '{', ...body.toSpliced(2, 1, '  other();'), '}'].join('\n'),
    });
    yield { change, evidence: index % 3 === 2 ? cleanEvidence(change) : revertEvidence(change) };
  }
}

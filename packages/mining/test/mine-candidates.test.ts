import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRecord } from '@redef/core';
import { afterAll, describe, expect, test } from 'vitest';
import { type MinedRow, type MineOptions, mineCandidates, mineRepositories } from '../src/index.js';
import { collectAll, type FixtureCommit, FixtureRepository, source } from './git-fixture.js';

const repositories: FixtureRepository[] = [];
afterAll(() => {
  for (const repository of repositories) repository.remove();
});

const make = (): FixtureRepository => {
  const repository = new FixtureRepository();
  repositories.push(repository);
  return repository;
};

/** A commit of one file with functions f, g and h whose bodies return these numbers. */
const state = (message: string, f: number, g: number, h: number, more: Partial<FixtureCommit> = {}): FixtureCommit => ({
  message,
  files: { 'a.c': source({ f: `return ${f};`, g: `return ${g};`, h: `return ${h};` }) },
  ...more,
});

async function mine(repository: FixtureRepository, options: MineOptions = {}) {
  const { rows, summary } = await collectAll(mineCandidates(repository.path, { project: 'demo', ...options }));
  const label = (row: MinedRow): string => {
    if (row.kind === 'candidate') {
      const { change, evidence } = row;
      const mark = repository.ids.indexOf(change.commit) + 1;
      return `${mark} ${change.function_name} ${evidence.kind}${evidence.kind === 'clean' ? ` ${evidence.later_commits.map(({ commit }) => repository.ids.indexOf(commit) + 1)}` : ''}`;
    }
    return `${repository.ids.indexOf(row.reject.id) + 1 || '-'} ${row.reject.stage}/${row.reject.reason}`;
  };
  const candidates = rows.filter((row) => row.kind === 'candidate');
  return { rows, summary, labels: rows.map(label), candidates };
}

describe('defective candidates', () => {
  test('the target of a revert, with the revert as its evidence', async () => {
    const repository = make().commit(state('Begin', 1, 1, 1), state('Break f', 2, 1, 1));
    repository.commit(state(`Revert "Break f"\n\nThis reverts commit ${repository.id(2)}.\n\nIt broke f.`, 1, 1, 1));
    const { candidates, summary } = await mine(repository);
    expect(candidates).toHaveLength(1);
    const [{ change, evidence }] = candidates as [Extract<MinedRow, { kind: 'candidate' }>];
    parseRecord('redef.change/1', change, 'change');
    parseRecord('redef.evidence/1', evidence, 'evidence');
    expect(change.commit).toBe(repository.id(2));
    expect(evidence).toEqual({
      schema: 'redef.evidence/1',
      id: change.id,
      kind: 'revert',
      revert_commit: repository.id(3),
      revert_message: `Revert "Break f"\n\nThis reverts commit ${repository.id(2)}.\n\nIt broke f.`,
      reverted_at: '2020-01-01T02:00:00-01:00',
      shape: 'this-reverts-commit',
      loose: true,
      strict: true,
      undoes: 1,
    });
    expect(summary).toMatchObject({ head: repository.id(3), commits: 3, counts: { defective: 1, single_function: 2 } });
    expect(summary.counts.reverts).toMatchObject({ targets_loose: 1, targets_strict: 1, shape_this_reverts_commit: 1 });
  });

  test('loose takes any hash of an earlier commit beside the word, strict only what is said to be reverted', async () => {
    const repository = make().commit(state('Begin', 1, 1, 1), state('Change f', 2, 1, 1), state('Change g', 2, 2, 1));
    repository.commit(
      state(`Revert part of ${repository.id(3).slice(0, 9)}\n\nIt was needed since ${repository.id(2)}.`, 2, 1, 1),
    );
    const names = async (label: 'loose' | 'strict') =>
      (await mine(repository, { label, ratio: 0 })).candidates.map((row) =>
        row.kind === 'candidate' ? row.change.function_name : '',
      );
    expect(await names('loose')).toEqual(['f', 'g']);
    expect(await names('strict')).toEqual(['g']);
  });

  test('a change that landed again is left out, whether a revert of the revert, a reland or the same change says so', async () => {
    const again = (finish: (repository: FixtureRepository) => string) => {
      const repository = make().commit(state('Begin', 1, 1, 1), state('Change f', 2, 1, 1));
      repository.commit(state(`Revert it\n\nThis reverts commit ${repository.id(2)}.`, 1, 1, 1));
      return repository.commit(state(finish(repository), 2, 1, 1));
    };
    for (const finish of [
      (repository: FixtureRepository) => `Revert "Revert it"\n\nThis reverts commit ${repository.id(3)}.`,
      (repository: FixtureRepository) => `Reland ${repository.id(2).slice(0, 10)}`,
      () => 'Reapply "Change f"',
      () => 'Change f once more',
    ]) {
      const repository = again(finish);
      const { labels } = await mine(repository, { ratio: 0 });
      expect(labels, finish(repository)).toContain('- revert/relanded');
      const kept = await mine(repository, { ratio: 0, keepRelanded: true });
      const [row] = kept.candidates as [Extract<MinedRow, { kind: 'candidate' }>];
      expect(row.evidence).toMatchObject({ relanded: true, revert_commit: repository.id(3) });
    }
  });

  test('a reland that is reverted in turn leaves the first revert standing', async () => {
    const repository = make().commit(state('Begin', 1, 1, 1), state('Change f', 2, 1, 1));
    repository.commit(state(`Revert\n\nThis reverts commit ${repository.id(2)}.`, 1, 1, 1));
    repository.commit(state(`Reapply "Change f"\n\nThis reverts commit ${repository.id(3)}.`, 2, 1, 1));
    repository.commit(state(`Revert again\n\nThis reverts commit ${repository.id(4)}.`, 1, 1, 1));
    const { labels } = await mine(repository, { ratio: 0 });
    expect(labels).toContain('2 f revert');
  });

  test('undoes tells a true revert from one in words, and a part from the whole', async () => {
    const body = (...lines: string[]) => ({ 'a.c': source({ f: lines }) });
    const repository = make().commit(
      { message: 'Begin', files: body('return a;') },
      { message: 'Add two lines', files: body('a += 1;', 'a += 2;', 'return a;') },
    );
    repository.commit({
      message: `Revert half of it\n\nThis partially reverts commit ${repository.id(2)}`,
      files: body('a += 1;', 'return a;'),
    });
    const [half] = (await mine(repository, { ratio: 0 })).candidates as [Extract<MinedRow, { kind: 'candidate' }>];
    expect(half.evidence).toMatchObject({ undoes: 0.5, shape: 'partial-revert' });
    const other = make().commit(
      { message: 'Begin', files: body('return a;') },
      { message: 'Add', files: body('a += 1;', 'return a;') },
    );
    other.commit({ message: `Reverts ${other.id(2)}`, files: body('a += 1;', 'return a + 1;') });
    const [none] = (await mine(other, { ratio: 0 })).candidates as [Extract<MinedRow, { kind: 'candidate' }>];
    expect(none.evidence).toMatchObject({ undoes: 0 });
  });

  test('a revert of a merge reaches the one commit that it brought in; of several it is a reject', async () => {
    const repository = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f on a branch', 2, 1, 1, { branch: 'topic' }),
      { ...state('Merge topic', 2, 1, 1), from: 1, merge: [2] },
    );
    repository.commit(
      state(
        `Revert "Merge topic"\n\nThis reverts commit ${repository.id(3)}, reversing\nchanges made to ${repository.id(1)}.`,
        1,
        1,
        1,
      ),
    );
    const { candidates } = await mine(repository, { label: 'strict', ratio: 0 });
    expect(candidates).toHaveLength(1);
    const [{ change, evidence }] = candidates as [Extract<MinedRow, { kind: 'candidate' }>];
    expect(change.commit).toBe(repository.id(2));
    expect(evidence).toMatchObject({ shape: 'merge-of-one-commit' });
  });

  test('later is a matter of the graph: dates that run backwards do not matter, other branches do', async () => {
    const repository = make().commit(state('Begin', 1, 1, 1), state('Change f', 2, 1, 1, { at: 90_000 }));
    repository.commit(state(`Revert ${repository.id(2)}`, 1, 1, 1, { at: 100 }));
    expect((await mine(repository, { ratio: 0 })).labels).toContain('2 f revert');
    const branches = make().commit(state('Begin', 1, 1, 1), state('Change f', 2, 1, 1, { branch: 'topic' }));
    branches.commit(
      { ...state(`Revert ${branches.id(2)}`, 1, 1, 2), from: 1 },
      { ...state('Merge', 2, 1, 2), merge: [2] },
    );
    expect((await mine(branches, { ratio: 0 })).labels).toEqual([
      '2 screen/never-touched-again'.replace('2', '-'),
      '3 revert/target-not-earlier',
      '- screen/never-touched-again',
    ]);
  });

  test('svn revisions, pull requests and quoted subjects', async () => {
    const svn = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f\n\ngit-svn-id: svn://example.org/trunk@1234 b3059339-0000', 2, 1, 1),
      state('Revert r1234, it broke f', 1, 1, 1),
    );
    expect((await mine(svn, { ratio: 0 })).labels).not.toContain('2 f revert'); // no hash, so not by the paper's rule
    expect((await mine(svn, { ratio: 0, label: 'strict' })).labels).toContain('2 f revert');
    const pull = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f (#12)', 2, 1, 1),
      state('Revert "Change f (#12)" (#13)\n\nReverts org/repo#12', 1, 1, 1),
    );
    expect((await mine(pull, { ratio: 0, label: 'strict' })).labels).toContain('2 f revert');
    const quoted = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f', 2, 1, 1),
      state('Revert "Change f"', 1, 1, 1),
    );
    expect((await mine(quoted, { ratio: 0, label: 'strict' })).labels).not.toContain('2 f revert');
    expect((await mine(quoted, { ratio: 0, label: 'any' })).labels).toContain('2 f revert');
  });

  test('a number that several commits bear is the last one in the history of the revert', async () => {
    const again = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f (#12)', 2, 1, 1),
      state('Revert "Change f" (#13)\n\nReverts org/repo#12', 1, 1, 1),
      state('Change g on the way to f (#12)', 1, 2, 1),
    );
    expect((await mine(again, { ratio: 0, label: 'strict' })).labels).toContain('2 f revert');

    const elsewhere = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f (#12)', 2, 1, 1),
      { ...state('Change g (#12)', 1, 2, 1), from: 1, branch: 'release' },
      { ...state('Revert #12', 1, 1, 1), from: 2 },
      { ...state('Merge', 1, 2, 1), merge: [3] },
    );
    expect((await mine(elsewhere, { ratio: 0, label: 'strict' })).labels).toContain('2 f revert');

    const later = make().commit(
      state('Begin', 1, 1, 1),
      state('Reverts org/repo#12', 2, 1, 1),
      state('Change f (#12)', 3, 1, 1),
    );
    expect((await mine(later, { ratio: 0, label: 'strict' })).labels).toContain('2 revert/target-not-earlier');
  });

  test('a number that both sides of a merge bear does not depend on how the index was filled', async () => {
    const repository = make().commit(
      state('Begin', 1, 1, 1),
      { ...state('Change f (#12)', 2, 1, 1), branch: 'one' },
      { ...state('Change g (#12)', 1, 2, 1), from: 1, branch: 'two' },
    );
    const rows = async (index?: string) =>
      (await mine(repository, { ratio: 0, label: 'strict', ...(index ? { index } : {}) })).labels;
    const filled = mkdtempSync(join(tmpdir(), 'redef-numbers-'));
    for (const tip of [3, 2]) {
      repository.git('update-ref', 'refs/heads/main', repository.id(tip));
      await rows(join(filled, `${tip}`));
    }
    repository.commit({ ...state('Merge', 2, 2, 1), from: 2, merge: [3] }, state('Revert #12', 2, 1, 1));
    const whole = await rows();
    expect(whole.filter((label) => label.endsWith('revert'))).toHaveLength(1);
    for (const tip of [3, 2]) expect(await rows(join(filled, `${tip}`))).toEqual(whole);
    rmSync(filled, { recursive: true });
  });

  test('an id that is no earlier commit is a reject with its reason', async () => {
    const repository = make().commit(state('Begin', 1, 1, 1), state('Elsewhere', 5, 5, 5, { branch: 'other' }));
    const tree = repository.git('rev-parse', `${repository.id(1)}^{tree}`);
    repository.commit({
      ...state(
        `Revert things\n\nThis reverts commit ${tree}.\nThis reverts commit ${'1234567890'.repeat(4)}.\nThis reverts commit ${repository.id(2)}.`,
        2,
        1,
        1,
      ),
      from: 1,
    });
    const { labels } = await mine(repository, { ratio: 0 });
    expect(labels.slice(0, 3)).toEqual([
      '3 revert/hash-not-a-commit',
      '3 revert/hash-unknown',
      '3 revert/hash-outside-history',
    ]);
  });
});

describe('clean candidates', () => {
  test('must be touched again, with no problem word in the first later messages', async () => {
    const repository = make().commit(
      state('Begin', 1, 1, 1),
      state('Change f', 2, 1, 1),
      state('Change g', 2, 2, 1),
      state('Change h', 2, 2, 2),
      state('Change f again', 3, 2, 2),
      state('Fix bug in g', 3, 3, 2),
    );
    const { labels } = await mine(repository, { allClean: true });
    expect(labels).toEqual([
      '2 f clean 5',
      '- screen/problem-word',
      '- screen/never-touched-again',
      '- screen/never-touched-again',
      '- screen/never-touched-again',
    ]);
    expect((await mine(repository, { allClean: true, problemWords: ['again'] })).labels.slice(0, 2)).toEqual([
      '- screen/problem-word',
      '3 g clean 6',
    ]);
    expect((await mine(repository, { allClean: true, problemWords: [] })).labels.slice(0, 2)).toEqual([
      '2 f clean 5',
      '3 g clean 6',
    ]);
  });

  test('at most five later commits are looked at; a problem word in the sixth does not matter', async () => {
    const repository = make().commit(
      ...[1, 2, 3, 4, 5, 6, 7].map((value) => state(`Set f to ${value}`, value, 1, 1)),
      state('Rollback f', 8, 1, 1),
    );
    const { labels } = await mine(repository, { allClean: true });
    expect(labels.slice(0, 2)).toEqual(['2 f clean 3,4,5,6,7', '- screen/problem-word']);
  });

  test('later commits are followed through renames of the file and of the function', async () => {
    const text = (name: string, ...body: string[]) =>
      source({ [name]: ['int b = 1;', 'int c = 2;', 'use(b, c);', ...body] });
    const repository = make().commit(
      { message: 'Begin', files: { 'old.c': text('f', 'return 1;') } },
      { message: 'Change f', files: { 'old.c': text('f', 'return 2;') } },
      { message: 'Move', files: { 'old.c': null, 'sub/new.c': text('f', 'return 2;') } },
      { message: 'Change it there', files: { 'sub/new.c': text('f', 'return 3;') } },
      { message: 'Rename the function', files: { 'sub/new.c': text('better', 'return 3;') } },
      { message: 'Change it under its new name', files: { 'sub/new.c': text('better', 'return 4;') } },
    );
    const { labels } = await mine(repository, { allClean: true });
    expect(labels[0]).toBe('2 f clean 4,5,6');
  });

  test('overloads and twins are told apart', async () => {
    const twins = (a: number, b: number) => ({
      'a.cc': `int f(int a) {\n  return ${a};\n}\n\nint f(long a) {\n  return ${b};\n}\n`,
    });
    const repository = make().commit(
      { message: 'Begin', files: twins(1, 1) },
      { message: 'Change the int', files: twins(2, 1) },
      { message: 'Change the long', files: twins(2, 2) },
      { message: 'Change the int again', files: twins(3, 2) },
    );
    const { labels } = await mine(repository, { allClean: true });
    expect(labels[0]).toBe('2 f clean 4');
    expect(labels[1]).toBe('- screen/never-touched-again');
  });

  test('are drawn near in time, by seed, and none is drawn twice', async () => {
    const day = 86_400;
    const commits: FixtureCommit[] = [state('Begin', 0, 0, 0, { at: 0 })];
    for (let i = 1; i <= 60; i++) commits.push(state(`Set ${i}`, i, 0, 0, { at: i * 10 * day }));
    const repository = make().commit(...commits);
    repository.commit(
      state(`Revert g\n\nThis reverts commit ${repository.id(31)}`, 29, 0, 0, { at: 601 * day }),
      state('End', 99, 0, 0, { at: 602 * day }),
    );
    const drawn = async (options: MineOptions) =>
      (await mine(repository, options)).labels
        .filter((label) => label.includes('clean'))
        .map((label) => Number(label.split(' ')[0]));
    const some = await drawn({ ratio: 3, windowDays: 60, problemWords: [], seed: 1 });
    expect(some).toHaveLength(3);
    for (const mark of some) expect(Math.abs(mark - 31)).toBeLessThanOrEqual(6);
    expect(await drawn({ ratio: 3, windowDays: 60, problemWords: [], seed: 1 })).toEqual(some);
    const seeds = await Promise.all(
      [2, 3, 4].map((seed) => drawn({ ratio: 3, windowDays: 60, problemWords: [], seed })),
    );
    expect(seeds.some((other) => `${other}` !== `${some}`)).toBe(true);
    const { summary } = await mine(repository, { ratio: 20, windowDays: 60, problemWords: [] });
    expect(summary.counts).toMatchObject({ clean: 12, unmatched: 8 });
  });
});

test('rows come in the order of the history and every one is accounted for', async () => {
  const repository = make().commit(
    state('Begin', 1, 1, 1),
    state('Change f', 2, 1, 1),
    state('Change f and g', 3, 2, 1),
    state('Change f', 4, 2, 1),
    { message: 'Other', files: { 'x.txt': 'x' } },
    { message: 'Add', files: { 'b.c': 'int x;\n' } },
  );
  const { rows, summary, labels } = await mine(repository, { allClean: true });
  expect(labels).toEqual([
    '2 f clean 3,4',
    '3 function/several-functions',
    '- screen/never-touched-again',
    '6 file/file-added',
  ]);
  const { single_file, single_function, clean, defective, rejects, history } = summary.counts;
  expect(rows).toHaveLength(single_file);
  expect(single_function).toBe(2);
  expect(clean + defective + Object.values(rejects).reduce((a, b) => a + b, 0)).toBe(rows.length);
  expect(history).toMatchObject({
    commits: 6,
    commits_root: 1,
    commits_modified: 3,
    commits_other_file: 1,
    commits_not_modified: 1,
  });
});

test('several repositories in one call: one that cannot be mined is a reject, and the others go on', async () => {
  const [one, two] = [make(), make()];
  for (const repository of [one, two])
    repository.commit(state('Begin', 1, 1, 1), state('f', 2, 1, 1), state('f', 3, 1, 1));
  const { rows, summary: outcomes } = await collectAll(
    mineRepositories([one.path, '/nowhere', { path: two.path, project: 'second' }], {
      allClean: true,
      project: 'first',
    }),
  );
  const told = rows.map((row) => (row.kind === 'candidate' ? row.change.project : row.reject.reason));
  expect(told).toEqual(['first', 'never-touched-again', 'repository-missing', 'second', 'never-touched-again']);
  expect(outcomes.map((outcome) => ('summary' in outcome ? outcome.summary.project : outcome.error.code))).toEqual([
    'first',
    'repository-missing',
    'second',
  ]);
});

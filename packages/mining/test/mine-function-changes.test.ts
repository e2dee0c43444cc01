import { parseRecord, type Reject } from '@redef/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mineCandidates, mineFunctionChanges } from '../src/index.js';
import { collect, FixtureRepository, source } from './git-fixture.js';

let repository: FixtureRepository;

beforeAll(() => {
  repository = new FixtureRepository().commit(
    { message: 'Begin', files: { 'a.c': source({ f: 'return a;', g: 'return 1;' }), 'b.c': source({ h: '' }) } },
    {
      message: 'Change f\n\nBody.',
      files: { 'a.c': source({ f: ['a++;', 'return a;'], g: 'return 1;' }) },
      author: 'One <one@example.org>',
    },
    { message: 'Change both', files: { 'a.c': source({ f: 'return a;', g: 'return 2;' }) } },
    {
      message: 'Two files',
      files: { 'a.c': source({ f: 'return 3;', g: 'return 2;' }), 'b.c': source({ h: 'return 0;' }) },
    },
    { message: 'Outside', files: { 'a.c': `int x;\n${source({ f: 'return 3;', g: 'return 2;' })}` } },
    { message: 'New function', files: { 'a.c': `int x;\n${source({ f: 'return 3;', g: 'return 2;', k: '' })}` } },
    { message: 'Not C', files: { 'readme.md': 'x' } },
    {
      message: 'Latin-1: caf\xe9',
      files: { 'b.c': Buffer.from('int h(int a)\r\n{\r\n    puts("caf\xe9");\r\n}\r\n', 'latin1') },
    },
    {
      message: 'Latin again',
      files: { 'b.c': Buffer.from('int h(int a)\r\n{\r\n    puts("caf\xe9s");\r\n}\r\n', 'latin1') },
    },
    {
      message: 'Mode',
      files: {
        'b.c': {
          mode: '100755',
          content: Buffer.from('int h(int a)\r\n{\r\n    puts("caf\xe9s");\r\n}\r\n', 'latin1'),
        },
      },
    },
  );
});
afterAll(() => repository.remove());

describe('mineFunctionChanges', () => {
  test('one line loops over every single-function change, and the records are valid', async () => {
    const seen: string[] = [];
    for await (const change of mineFunctionChanges(repository.path))
      seen.push(`${change.commit} ${change.function_name}`);
    expect(seen).toEqual([`${repository.id(2)} f`, `${repository.id(8)} h`, `${repository.id(9)} h`]);
    for await (const change of mineFunctionChanges(repository.path)) parseRecord('redef.change/1', change, 'change');
  });

  test('a record holds both texts whole, their lines, hunks, dates with offsets and message', async () => {
    const [change] = await collect(mineFunctionChanges(repository.path, { project: 'demo' }));
    expect(change).toMatchObject({
      project: 'demo',
      commit: repository.id(2),
      parent: repository.id(1),
      path: 'a.c',
      function_signature: 'int f(int a)',
      language: 'c',
      authored_at: '2020-01-01T04:00:00+02:00',
      committed_at: '2020-01-01T01:00:00-01:00',
      message: 'Change f\n\nBody.',
      function_before: 'int f(int a)\n{\n    return a;\n}',
      function_after: 'int f(int a)\n{\n    a++;\n    return a;\n}',
      lines_before: { start: 1, end: 4 },
      lines_after: { start: 1, end: 5 },
      hunks: [{ old_start: 2, old_count: 0, new_start: 3, new_count: 1 }],
      extractor: 'scanner/2',
      confidence: 'high',
    });
    expect(change).not.toHaveProperty('decoding');
  });

  test('a zone that no clock has is told as the same instant in UTC', async () => {
    const odd = new FixtureRepository().commit(
      { message: '1', files: { 'a.c': source({ f: 'return 1;' }) } },
      { message: '2', files: { 'a.c': source({ f: 'return 2;' }) }, at: 7200, zone: '+9999' },
      { message: '3', files: { 'a.c': source({ f: 'return 3;' }) }, at: 10_800, zone: '-1400' },
    );
    const changes = await collect(mineFunctionChanges(odd.path));
    odd.remove();
    for (const change of changes) parseRecord('redef.change/1', change, 'change');
    expect(changes.map(({ committed_at }) => committed_at)).toEqual([
      '2020-01-01T02:00:00Z',
      '2019-12-31T13:00:00-14:00',
    ]);
  });

  test('bytes that are not UTF-8 are kept with a note, and carriage returns are left out', async () => {
    const change = (await collect(mineFunctionChanges(repository.path)))[2]!;
    expect(change.decoding).toBe('windows-1252');
    expect(change.function_after).toBe('int h(int a)\n{\n    puts("cafés");\n}');
  });

  test('every other commit of one accepted file is told with its reason', async () => {
    const rejects: Reject[] = [];
    await collect(mineFunctionChanges(repository.path, { onReject: (reject) => rejects.push(reject) }));
    expect(rejects.map(({ id, reason }) => [repository.ids.indexOf(id) + 1, reason])).toEqual([
      [3, 'several-functions'],
      [5, 'outside-function'],
      [6, 'outside-function'],
      [10, 'mode-changed-only'],
    ]);
  });

  test('with allRejects, so is every other commit', async () => {
    const rejects: Reject[] = [];
    const changes = await collect(
      mineFunctionChanges(repository.path, { allRejects: true, onReject: (reject) => rejects.push(reject) }),
    );
    const others = rejects.filter(({ stage }) => stage === 'commit');
    expect(others.map(({ id, reason }) => [repository.ids.indexOf(id) + 1, reason])).toEqual([
      [1, 'root'],
      [4, 'several-files'],
      [7, 'other-file'],
    ]);
    expect(changes.length + rejects.length).toBe(repository.ids.length);
    const rows = await collect(mineCandidates(repository.path, { allRejects: true }));
    expect(rows).toHaveLength(repository.ids.length);
  });

  test('filters: dates, range, author, paths and extensions', async () => {
    const commits = async (options: Parameters<typeof mineFunctionChanges>[1]): Promise<number[]> =>
      (await collect(mineFunctionChanges(repository.path, options))).map(
        ({ commit }) => repository.ids.indexOf(commit) + 1,
      );
    expect(await commits({ since: '2020-01-01T05:00:00Z' })).toEqual([8, 9]);
    expect(await commits({ until: new Date('2020-01-01T05:00:00Z') })).toEqual([2]);
    expect(await commits({ range: `${repository.id(2)}..main` })).toEqual([8, 9]);
    expect(await commits({ range: `..${repository.id(3)}` })).toEqual([2]);
    expect(await commits({ author: 'ONE@' })).toEqual([2]);
    expect(await commits({ author: /^A U Thor/ })).toEqual([8, 9]);
    expect(await commits({ paths: ['b.*'] })).toEqual([8, 9]);
    expect(await commits({ extensions: ['h'] })).toEqual([]);
    expect(await commits({ ignorePaths: ['b.c'] })).toEqual([2, 4]);
  });

  test('a break ends git', async () => {
    for await (const change of mineFunctionChanges(repository.path)) {
      expect(change.function_name).toBe('f');
      break;
    }
  });

  test('an abort is told as such', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(collect(mineFunctionChanges(repository.path, { signal: controller.signal }))).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  test('a commit that leaves the text of its function as it was is no change of it', async () => {
    const text = 'int f(int a)\n{\n    puts("caf\xe9");\n}\n';
    const versions = [
      Buffer.from(text, 'latin1'),
      Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'),
      Buffer.from(text),
      Buffer.from(text.trimEnd()),
      Buffer.from(text.replace('caf', 'Caf')),
    ];
    const same = new FixtureRepository().commit(
      ...versions.map((content, i) => ({ message: `${i + 1}`, files: { 'a.c': content } })),
    );
    const rejects: Reject[] = [];
    const changes = await collect(mineFunctionChanges(same.path, { onReject: (reject) => rejects.push(reject) }));
    expect(changes.map(({ commit }) => commit)).toEqual([same.id(5)]);
    const told = [2, 3, 4].map((commit) => [same.id(commit), 'function', 'same-text']);
    expect(rejects.map(({ id, stage, reason }) => [id, stage, reason])).toEqual(told);
    const rows = await collect(mineCandidates(same.path));
    const found = rows.flatMap((row) => (row.kind === 'reject' ? [row.reject] : []));
    expect(found.filter(({ reason }) => reason === 'same-text')).toEqual(rejects);
    same.remove();
  });

  test('a change made twice names the first', async () => {
    const twice = new FixtureRepository().commit(
      { message: '1', files: { 'a.c': source({ f: 'return 1;' }) } },
      { message: '2', files: { 'a.c': source({ f: 'return 2;' }) } },
      { message: '3', files: { 'a.c': source({ f: 'return 1;' }) } },
      { message: '4', files: { 'a.c': source({ f: 'return 2;' }) } },
    );
    const [first, second, third] = await collect(mineFunctionChanges(twice.path));
    expect([first!.identical_to, second!.identical_to, third!.identical_to]).toEqual([undefined, undefined, first!.id]);
    twice.remove();
  });
});

test('named commits are read alone, in the order given; what is no full id or no commit is an error', async () => {
  const commits = [repository.id(9), repository.id(2), repository.id(3)];
  const found = await collect(mineFunctionChanges(repository.path, { commits }));
  expect(found.map(({ commit }) => commit)).toEqual([repository.id(9), repository.id(2)]);
  expect(await collect(mineFunctionChanges(repository.path, { commits: [] }))).toEqual([]);
  for (const bad of ['--output=x', 'HEAD', repository.id(1).slice(0, 12), '']) {
    await expect(collect(mineFunctionChanges(repository.path, { commits: [bad] }))).rejects.toMatchObject({
      code: 'invalid-option',
    });
  }
  const absent = { commits: [repository.id(2), '1'.repeat(40)] };
  await expect(collect(mineFunctionChanges(repository.path, absent))).rejects.toMatchObject({ code: 'git-failed' });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { encodeRows, type Preset, type PresetName, presets, type Row, readRows } from '../index.js';

async function read(rows: Row[], preset: PresetName, format: 'csv' | 'jsonl'): Promise<Row[]> {
  const out: Row[] = [];
  for await (const row of readRows(encodeRows(rows, { format }), { format, preset })) out.push(row);
  return out;
}

test('PrimeVul: hashes of 128 bits stay whole, weaknesses are a list', async () => {
  const hash = 338_953_139_421_773_938_463_374_607_431_768_211n;
  const row = {
    idx: 1,
    project: 'p',
    commit_id: 'c',
    target: 1,
    func: 'int f();',
    func_hash: hash,
    cwe: ['CWE-119'],
    cve: null,
  };
  const [read1] = await read([row], 'primevul', 'jsonl');
  expect(read1).toStrictEqual(row);
  expect(presets.primevul.toSample(read1!)).toEqual({
    id: '1',
    project: 'p',
    commit: 'c',
    code: 'int f();',
    label: 1,
    cwe: ['CWE-119'],
  });
  expect(presets.primevul.check({ ...row, func: '' })).toBe('missing-function');
});

test('Big-Vul: numbers out of CSV, a CWE that is none, other columns kept', async () => {
  const row = {
    '': '7',
    'CVE ID': 'CVE-2015-8467',
    'CWE ID': 'CWE-264',
    Score: '6.0',
    add_lines: '1.0',
    func_before: 'a',
    func_after: 'b',
    vul: '1',
    project: 'samba',
    Complexity: 'Medium',
  };
  const [typed] = await read([row], 'big-vul', 'csv');
  expect(typed).toStrictEqual({ ...row, '': 7, Score: 6, add_lines: 1, vul: 1 });
  expect(presets['big-vul'].toSample(typed!)).toMatchObject({
    id: '7',
    cwe: ['CWE-264'],
    cve: 'CVE-2015-8467',
    label: 1,
  });
  expect(presets['big-vul'].toSample({ ...typed, 'CWE ID': 'NVD-CWE-noinfo' })).not.toHaveProperty('cwe');
  expect(presets['big-vul'].check({ ...typed, func_after: 'a' })).toBe('no-change');
  expect(presets['big-vul'].check({ ...typed, func_after: 'a', vul: 0 })).toBeUndefined();
});

test('CVEfixes: Python booleans and lists, a missing method', async () => {
  const row = {
    method_change_id: '12',
    file_change_id: '3',
    name: 'f',
    parameters: "['int a', 'char b']",
    code: 'int f() {}',
    before_change: 'True',
    cwe_id: 'CWE-20',
  };
  const [typed] = await read([row], 'cvefixes', 'csv');
  expect(typed).toMatchObject({ parameters: ['int a', 'char b'], before_change: true });
  expect(presets.cvefixes.toSample(typed!)).toMatchObject({
    code: 'int f() {}',
    label: 1,
    cwe: ['CWE-20'],
    function_name: 'f',
  });
  expect(presets.cvefixes.check({ ...typed, code: 'None' })).toBe('missing-function');
});

test('ReDef: pairs of functions, with a label in any of its forms', async () => {
  const row = { function_before: 'a', function_after: 'b', label: 'defective' };
  const [typed] = await read([row], 'redef', 'csv');
  expect(presets.redef.toSample(typed!)).toEqual({ function_before: 'a', function_after: 'b', label: 1 });
  expect(presets.redef.check({ ...row, function_after: 'a' })).toBe('no-change');
  expect(presets.redef.check({ ...row, label: 'maybe' })).toBe('unknown-label');
  expect(presets.redef.check({ function_before: '', function_after: 'b' })).toBe('missing-function');
});

test('VulRepair: markers and hunks are checked, an empty target is not a missing one', () => {
  const row = { source: 'CWE-119 <S2SV_StartBug> a <S2SV_EndBug> b\n', target: '<S2SV_ModStart> a b c\n' };
  const reason = (change: Partial<typeof row> | { target: null }) => presets.vulrepair.check({ ...row, ...change });
  expect(reason({})).toBeUndefined();
  expect(reason({ target: '\n' })).toBe('empty-target');
  expect(reason({ target: null })).toBe('missing-text');
  expect(reason({ target: 'a b' })).toBe('no-hunk');
  expect(reason({ source: 'int f' })).toBe('no-cwe-tag');
  expect(reason({ source: 'CWE-119 <S2SV_EndBug> <S2SV_StartBug>' })).toBe('unbalanced-bug-markers');
});

test('a file of another layout is refused by the column or the value that does not fit', async () => {
  await expect(read([{ source: 'a' }], 'vulrepair', 'csv')).rejects.toMatchObject({
    code: 'preset-columns',
    message: expect.stringMatching(/row 1: the layout vulrepair has a column "target", found "source"/),
  });
  await expect(
    read([{ idx: 'x', project: '', commit_id: '', target: 1, func: '' }], 'primevul', 'jsonl'),
  ).rejects.toMatchObject({
    code: 'preset-value',
    message: expect.stringMatching(/:1: column "idx": expected an integer, found "x"/),
  });
  const unknown = 'devign' as PresetName;
  await expect(read([{ a: 1 }], unknown, 'jsonl')).rejects.toMatchObject({ code: 'unknown-preset' });
});

test('a layout of your own works as the published ones do', async () => {
  const own: Preset = {
    name: 'own',
    source: 'here',
    columns: { n: { kind: 'number', about: 'A number.' } },
    toSample: () => ({}),
    check: () => undefined,
  };
  const rows: Row[] = [];
  for await (const row of readRows(encodeRows([{ n: '1e3' }], { format: 'csv' }), { format: 'csv', preset: own }))
    rows.push(row);
  expect(rows).toEqual([{ n: 1000 }]);
});

const shared = process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../../shared/', import.meta.url));
if (!existsSync(join(shared, 'data'))) console.warn(`SKIPPED: no ${shared}data, so no published data set was read`);

describe.skipIf(!existsSync(join(shared, 'data')))('published files', () => {
  test.each([
    ['vulrepair/val.csv', 'vulrepair', 839, { 'empty-target': 3 }],
    ['vulrepair/fold0-val.csv', 'vulrepair', 853, { 'empty-target': 2 }],
    ['apachejit/test-small.csv', 'apachejit', 7526, {}],
  ] as const)('%s keeps its layout', async (path, preset, rows, reasons) => {
    const found: Record<string, number> = {};
    let read = 0;
    let positive = 0;
    for await (const row of readRows(join(shared, 'data', path), { preset })) {
      read++;
      const reason = presets[preset].check(row);
      if (reason) found[reason] = (found[reason] ?? 0) + 1;
      if (presets[preset].toSample(row).label) positive++;
      if (reason === 'empty-target') expect(row.target).toBe('\n');
    }
    expect({ read, found }).toEqual({ read: rows, found: reasons });
    if (preset === 'apachejit') expect(positive).toBe(1448);
  });
});

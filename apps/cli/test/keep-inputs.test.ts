import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { redef } from './harness.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-keep-'));
  for (const folder of ['stage', 'data']) mkdirSync(join(root, folder));
  for (const name of ['changes', 'evidence', 'labels', 'splits', 'encoded', 'rejects']) put(`stage/${name}.jsonl`, '');
  put('stage/manifest.json', '{"of":"another stage"}');
  put('train.csv', 'source,target\na,b\na,b\nc,d\n');
  put('test.csv', 'source,target\na,b\ne,f\n');
  put('data/all.csv', 'source,target\na,b\n');
  put('x.buggy', 'a\n');
  put('x.fixed', 'b\n');
  put('pairs.csv', 'id,prediction\n0,b\n');
  put('items.jsonl', '{}\n');
  put('config.json', '{}');
  put('stage/config.json', '{}');
  symlinkSync(root, join(root, 'link'));
  symlinkSync(join(root, 'test.csv'), join(root, 'test.removed.jsonl'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, text: string): void => writeFileSync(join(root, name), text);

function everyFile(): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

test.each([
  'audit-data train.csv test.csv --clean .',
  'audit-data train.csv test.csv --clean link',
  'audit-data train.csv test.csv --html link/train.csv',
  'audit-data train.csv test.csv --corpus data --html data/all.csv',
  'audit-data train.csv test.csv --corpus data --html data/page.html',
  'audit-data train.csv test.csv --predictions pairs.csv --html pairs.csv',
  'audit-data x.buggy --html x.fixed',
  'audit-data a=train.csv test=data/all.csv test2=test.csv --clean .',
  'score pairs.csv test.csv --out link/test.csv',
  'score pairs.csv test.csv --out pairs.csv',
  'repair format x.buggy x.fixed --out x.fixed',
  'repair predict test.csv --model data --out test.csv',
  'repair predict test.csv --model stage --out stage/config.json',
  'repair train --train train.csv --model data --out link/data',
  'repair train --train train.csv --model config.json --tokenizer data --out data',
  'triage --mined stage --out stage',
  'triage --mined stage --out link/stage',
  'triage --mined stage --out new --cache stage/changes.jsonl',
  'triage --mined stage --out new --prices config.json --cache config.json',
  'split --mined stage --labels stage --out stage',
  'dedup --mined stage --labels stage --split stage --out link/stage',
  'encode --mined stage --split stage --out stage',
  'train --encoded stage --labels stage --split stage --out stage',
  'predict --encoded stage --labels stage --split stage --model stage --out stage',
  'study import train.csv --out link',
  'audit sample --items items.jsonl --out .',
  'audit sample --mined stage --labels stage --out stage',
])('refused, and every file stays: redef %s', async (line) => {
  const before = everyFile();
  const { code, stdout, stderr } = await redef(root, line.split(' '));
  expect(stderr).toMatch(/is to be written where .+ is read\n {2}Choose another/);
  expect([code, stdout]).toEqual([2, '']);
  expect(everyFile()).toEqual(before);
});

test('inputs that stay are no hindrance: in a folder of their own, below or beside what is written', async () => {
  expect(await redef(root, 'audit-data train.csv test.csv --clean clean'.split(' '))).toMatchObject({ code: 0 });
  expect(await redef(root, 'audit-data a=train.csv b=test.csv --clean .'.split(' '))).toMatchObject({ code: 0 });
  expect(await redef(root, 'split --mined stage --labels stage --out stage/split'.split(' '))).toMatchObject({
    code: 0,
  });
  put('prices.json', '{}'); // found beside the output, and only then wanting
  const priced = await redef(root, 'triage --mined stage --out . --prices prices.json'.split(' '));
  expect(priced.stderr).toMatch(/prices\.json/);
  expect(priced.stderr).not.toMatch(/is to be written/);
  expect(readFileSync(join(root, 'train.csv'), 'utf8')).toBe('source,target\na,b\na,b\nc,d\n');
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTable, tableFiles } from './folders.js';

const root = mkdtempSync(join(tmpdir(), 'redef-folders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const split = (id: string): string =>
  `${JSON.stringify({ schema: 'redef.split/1', id: id.repeat(16), split: 'train', rule: 'r' })}\n`;
const file = (name: string, text: string): string => {
  mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, name, 'splits.jsonl'), text);
  return join(root, name, 'splits.jsonl');
};
async function idsOf(files: string[]): Promise<string> {
  let ids = '';
  for await (const { id } of readTable('redef.split/1', files)) ids += id[0];
  return ids;
}

test('a table is read over all its files, and an id that comes twice is named with both lines', async () => {
  const files = [file('a', `${split('a')}\n${split('b')}`), file('b', split('c'))];
  expect(await idsOf(files)).toBe('abc');
  const again = file('c', `${split('d')}${split('b')}`);
  await expect(idsOf([...files, again])).rejects.toMatchObject({
    code: 'duplicate-id',
    message: `${again}:2: the id ${'b'.repeat(16)} stands at ${files[0]}:3 already`,
  });
});

test('of a folder of projects the named ones are taken, each of which must be there', async () => {
  const folder = join(root, 'mined');
  const [one, two] = [file('mined/one', split('a')), file('mined/two', split('b'))];
  expect(await tableFiles(folder, 'splits.jsonl')).toEqual([one, two]);
  expect(await tableFiles(folder, 'splits.jsonl', ['two'])).toEqual([two]);
  expect(await tableFiles(folder, 'splits.jsonl', ['two', 'one'])).toEqual([one, two]);
  await expect(tableFiles(folder, 'splits.jsonl', ['one', 'three'])).rejects.toMatchObject({
    code: 'table-missing',
    message: `${join(folder, 'three')}: no splits.jsonl in it`,
  });
});

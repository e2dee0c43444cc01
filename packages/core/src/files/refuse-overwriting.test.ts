import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuseOverwriting } from './refuse-overwriting.js';

let root: string;
const at = (...names: string[]): string => join(root, ...names);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-overwrite-'));
  mkdirSync(at('data', 'deep'), { recursive: true });
  writeFileSync(at('data', 'train.csv'), 'a\n');
  symlinkSync(at('data'), at('linked'));
  symlinkSync(at('data', 'train.csv'), at('train.csv'));
  linkSync(at('data', 'train.csv'), at('hard.csv'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a file that is read is not written, by whatever way its path leads to it', async () => {
  const ways = ['data/train.csv', 'linked/train.csv', 'train.csv', 'hard.csv', 'linked/deep/../train.csv'].map((path) =>
    at(path),
  );
  ways.push(relative(process.cwd(), at('data', 'train.csv')));
  for (const read of ways) {
    for (const write of ways) {
      const files = [at('new.csv'), write];
      await expect(refuseOverwriting([at('other'), read], { files }), `${read} ${write}`).rejects.toMatchObject({
        code: 'would-overwrite',
        message: expect.stringContaining(write),
      });
    }
  }
});

test('nor is a file in a folder that is read', async () => {
  for (const folder of [at('data'), at('linked')]) {
    for (const write of [at('data/new.csv'), at('linked/deep/x/new.csv')]) {
      await expect(refuseOverwriting([folder], { files: [write] })).rejects.toMatchObject({ code: 'would-overwrite' });
    }
  }
});

test('a folder that is read, or holds what is read, is not filled', async () => {
  for (const folder of [at('data'), at('linked'), at('linked', 'deep', '..')]) {
    for (const read of [
      at('data'),
      at('linked'),
      at('data', 'train.csv'),
      at('linked', 'train.csv'),
      at('train.csv'),
    ]) {
      await expect(refuseOverwriting([read], { folders: [folder] }), `${read} ${folder}`).rejects.toMatchObject({
        code: 'would-overwrite',
      });
    }
  }
});

test('a neighbour, a new file, a folder above or below and missing inputs are no hindrance', async () => {
  const reads = [at('data', 'train.csv'), at('missing')];
  await refuseOverwriting(reads, { files: [at('data', 'test.csv'), at('missing')], folders: [at('missing')] });
  await refuseOverwriting([at('data')], { folders: [root, at('data', 'deep'), at('data', 'new')] });
});

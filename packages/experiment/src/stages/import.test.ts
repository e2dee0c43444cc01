import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importStage } from './import.js';

test('rows whose metric no table shows are counted as left out, with the reason', async () => {
  const root = mkdtempSync(join(tmpdir(), 'redef-import-'));
  try {
    const table = join(root, 'table.csv');
    writeFileSync(table, 'model,encoding,seed,metric,value\nm,e,1,f1,0.5\nm,e,1,,0.4\nm,e,1,BLEU,17\nm,e,2,f1,0.6\n');
    const { manifest } = await importStage({ table, out: join(root, 'out') });
    expect(manifest.counts).toEqual({ in: 4, kept: 2, dropped: { 'metric BLEU': 1, 'no metric named': 1 } });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

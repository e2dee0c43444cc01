import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import { removeDuplicates } from './remove-duplicates.js';
import type { Row } from './rows.js';

// Made by test/fixtures/drop_duplicates.py; DROP_DUPLICATES_JSON names the output of a larger run of it.
const file = process.env.DROP_DUPLICATES_JSON ?? new URL('../test/fixtures/drop_duplicates.json', import.meta.url);
const frames: { subset: string[]; rows: Row[]; kept: number[] }[] = JSON.parse(readFileSync(file, 'utf8'));

test(`keeps the rows that pandas' drop_duplicates() keeps, in ${frames.length} fuzzed frames`, async () => {
  expect(frames.length).toBeGreaterThan(0);
  for (const [index, { subset, rows, kept }] of frames.entries()) {
    const ours: number[] = [];
    for await (const { row, removed } of removeDuplicates({ frame: rows }, { policy: 'cut-from-test', key: subset })) {
      if (!removed) ours.push(row);
    }
    expect(ours, `frame ${index}`).toEqual(kept);
    const audit = await auditData({ frame: rows }, { key: subset });
    expect(audit.sets.frame!.unique).toBe(kept.length);
  }
});

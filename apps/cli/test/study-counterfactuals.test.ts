import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StudyResults } from '@redef/experiment';
import { expect, test } from 'vitest';
import { redef } from './harness.js';

test('a study shows further counterfactuals too, one that needs donors among them', async () => {
  const root = mkdtempSync(join(tmpdir(), 'redef-study-'));
  const args = ['--encodings', 'diff-tags', '--counterfactuals', 'grafted-edit,null-edit', '--seeds', '1', '--json'];
  const { code, stdout } = await redef(root, ['study', '--out', 'study', ...args]);
  rmSync(root, { recursive: true, force: true });
  expect(code).toBe(0);
  const { cells }: StudyResults = JSON.parse(stdout);
  expect(cells.flatMap(({ counterfactual }) => counterfactual ?? [])).toEqual(['grafted-edit', 'null-edit']);
});

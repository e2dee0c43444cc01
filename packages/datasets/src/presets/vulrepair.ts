import type { Preset } from './preset.js';
import { cweIds, sample, text } from './values.js';

/**
 * VRepair and VulRepair: a vulnerable function with its buggy regions marked, and the tokens to put there. Both texts
 * end with a line feed, and a target that is one line feed is empty, not missing.
 */
export const vulRepair: Preset = {
  name: 'vulrepair',
  source: 'VRepair (Chen et al., 2022) and VulRepair (Fu et al., 2022), the CSV files of their training and test sets',
  columns: {
    '': { kind: 'integer', about: 'Index of the row in the data frame that wrote it.', optional: true },
    cwe_id: { kind: 'text', about: 'The weakness, also the first token of the source.', optional: true },
    source: { kind: 'text', about: 'CWE tag and tokens, buggy regions between <S2SV_StartBug> and <S2SV_EndBug>.' },
    target: { kind: 'text', about: 'Hunks: <S2SV_ModStart>, context, new tokens, <S2SV_ModEnd>, context.' },
  },
  toSample: (row) => {
    const tag = /^CWE-\d+/.exec(text(row, 'source') ?? '')?.[0];
    return sample({
      id: text(row, ''),
      source: text(row, 'source'),
      target: text(row, 'target'),
      // CWE-000 stands for none: rows of the bug-fix corpus
      cwe: cweIds(row, 'cwe_id') ?? (tag && tag !== 'CWE-000' ? [tag] : undefined),
    });
  },
  check: (row) => {
    const source = text(row, 'source');
    const target = text(row, 'target');
    if (source === undefined || target === undefined) return 'missing-text';
    if (!/^CWE-\d+ /.test(source)) return 'no-cwe-tag';
    if (!balanced(source)) return 'unbalanced-bug-markers';
    if (target.trim() === '') return 'empty-target';
    return /^<S2SV_ModStart> /.test(target) ? undefined : 'no-hunk';
  },
};

function balanced(source: string): boolean {
  let open = false;
  for (const [, edge] of source.matchAll(/<S2SV_(Start|End)Bug>/g)) {
    if ((edge === 'Start') === open) return false;
    open = edge === 'Start';
  }
  return !open;
}

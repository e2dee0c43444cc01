import type { Preset } from './preset.js';
import { cweIds, label, sample, text } from './values.js';

/** Big-Vul: functions of C and C++ projects at the commits that fixed a CVE, with the flaw lines. */
export const bigVul: Preset = {
  name: 'big-vul',
  source:
    'Fan et al., A C/C++ Code Vulnerability Dataset with Code Changes and CVE Summaries (MSR 2020), MSR_data_cleaned.csv',
  columns: {
    '': { kind: 'integer', about: 'Index of the row in the data frame that wrote it.', optional: true },
    'CVE ID': { kind: 'text', about: 'The CVE that the commit fixes.', optional: true },
    'CWE ID': { kind: 'text', about: 'Its weakness.', optional: true },
    Score: { kind: 'number', about: 'CVSS score of the CVE.', optional: true },
    Summary: { kind: 'text', about: 'Summary of the CVE.', optional: true },
    commit_id: { kind: 'text', about: 'The commit that fixes it.', optional: true },
    commit_message: { kind: 'text', about: 'Message of the commit.', optional: true },
    project: { kind: 'text', about: 'Name of the project.', optional: true },
    lang: { kind: 'text', about: 'C or CPP.', optional: true },
    add_lines: { kind: 'integer', about: 'Lines that the commit adds.', optional: true },
    del_lines: { kind: 'integer', about: 'Lines that the commit removes.', optional: true },
    func_before: { kind: 'text', about: 'The function before the fix.' },
    func_after: { kind: 'text', about: 'The function after it; of a function that is not vulnerable, the same.' },
    lines_before: { kind: 'text', about: 'Lines that the fix removes from the function.', optional: true },
    lines_after: { kind: 'text', about: 'Lines that the fix adds to it.', optional: true },
    patch: { kind: 'text', about: 'The fix as a patch of the function.', optional: true },
    vul: { kind: 'integer', about: '1 where the fix changes the function, else 0.' },
    vul_func_with_fix: { kind: 'text', about: 'The function with the fix in comments.', optional: true },
  },
  toSample: (row) =>
    sample({
      id: text(row, ''),
      project: text(row, 'project'),
      commit: text(row, 'commit_id'),
      message: text(row, 'commit_message'),
      function_before: text(row, 'func_before'),
      function_after: text(row, 'func_after'),
      label: label(row, 'vul'),
      cwe: cweIds(row, 'CWE ID'),
      cve: text(row, 'CVE ID'),
    }),
  check: (row) => {
    const vulnerable = label(row, 'vul');
    if (vulnerable === undefined) return 'unknown-label';
    if (!text(row, 'func_before')) return 'missing-function';
    return vulnerable === 1 && row.func_before === row.func_after ? 'no-change' : undefined;
  },
};

import type { Preset } from './preset.js';
import { cweIds, sample, text } from './values.js';

/**
 * CVEfixes: the `method_change` table, exported from its SQLite file, one state of a method a row. Columns of the tables
 * that a query joins to it (`commits`, `file_change`, `fixes`, `cwe_classification`) are understood where they are there.
 */
export const cveFixes: Preset = {
  name: 'cvefixes',
  source: 'Bhandari et al., CVEfixes (PROMISE 2021), the data dictionary of its repository',
  columns: {
    method_change_id: { kind: 'any', about: 'Names the state of the method.' },
    file_change_id: { kind: 'any', about: 'The change of the file that it is part of.' },
    name: { kind: 'text', about: 'Name of the method.' },
    signature: { kind: 'text', about: 'Name with parameter names and types.', optional: true },
    parameters: { kind: 'list', about: 'Names of the parameters.', optional: true },
    start_line: { kind: 'integer', about: 'First line in the file.', optional: true },
    end_line: { kind: 'integer', about: 'Last line in the file.', optional: true },
    code: { kind: 'text', about: 'Text of the method.' },
    nloc: { kind: 'integer', about: 'Lines of code.', optional: true },
    complexity: { kind: 'integer', about: 'Cyclomatic complexity.', optional: true },
    token_count: { kind: 'integer', about: 'Tokens.', optional: true },
    top_nesting_level: { kind: 'integer', about: 'Deepest nesting.', optional: true },
    before_change: { kind: 'boolean', about: 'True for the vulnerable state, False for the repaired one.' },
    hash: { kind: 'text', about: 'The commit (joined).', optional: true },
    repo_url: { kind: 'text', about: 'The repository (joined).', optional: true },
    new_path: { kind: 'text', about: 'The file (joined).', optional: true },
    msg: { kind: 'text', about: 'Message of the commit (joined).', optional: true },
    cve_id: { kind: 'text', about: 'The CVE (joined).', optional: true },
    cwe_id: { kind: 'text', about: 'Its weakness (joined).', optional: true },
  },
  toSample: (row) =>
    sample({
      id: text(row, 'method_change_id'),
      project: text(row, 'repo_url'),
      commit: text(row, 'hash'),
      path: text(row, 'new_path'),
      message: text(row, 'msg'),
      function_name: text(row, 'name'),
      code: text(row, 'code'),
      label: row.before_change === null ? undefined : row.before_change ? 1 : 0,
      cwe: cweIds(row, 'cwe_id'),
      cve: text(row, 'cve_id'),
    }),
  check: (row) => {
    if (!text(row, 'code') || row.code === 'None') return 'missing-function';
    return row.before_change === null ? 'unknown-label' : undefined;
  },
};

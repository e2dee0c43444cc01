import type { Preset } from './preset.js';
import { cweIds, label, sample, text } from './values.js';

/** PrimeVul: one function a line of JSONL; in the paired files a vulnerable function and its repair follow each other. */
export const primeVul: Preset = {
  name: 'primevul',
  source:
    'Ding et al., Vulnerability Detection with Code Language Models: How Far Are We? (ICSE 2025), v0.1 and the original release',
  columns: {
    idx: { kind: 'integer', about: 'Names the function.' },
    project: { kind: 'text', about: 'Name of the project.' },
    commit_id: { kind: 'text', about: 'The commit that fixes the vulnerability.' },
    project_url: { kind: 'text', about: 'Address of the project (v0.1).', optional: true },
    commit_url: { kind: 'text', about: 'Address of the commit (v0.1).', optional: true },
    commit_message: { kind: 'text', about: 'Message of the commit (v0.1).', optional: true },
    target: { kind: 'integer', about: '1 for vulnerable, 0 for not.' },
    func: { kind: 'text', about: 'Text of the function.' },
    func_hash: { kind: 'any', about: 'Hash of the function, an integer of up to 128 bits.', optional: true },
    file_name: { kind: 'text', about: 'Name of the file (v0.1).', optional: true },
    file_hash: { kind: 'any', about: 'Hash of the file, an integer of up to 128 bits (v0.1).', optional: true },
    cwe: { kind: 'list', about: 'Weaknesses.', optional: true },
    cve: { kind: 'text', about: 'The CVE.', optional: true },
    cve_desc: { kind: 'text', about: 'Description of the CVE.', optional: true },
    nvd_url: { kind: 'text', about: 'Address of the CVE in the NVD (v0.1).', optional: true },
  },
  toSample: (row) =>
    sample({
      id: text(row, 'idx'),
      project: text(row, 'project'),
      commit: text(row, 'commit_id'),
      path: text(row, 'file_name'),
      message: text(row, 'commit_message'),
      code: text(row, 'func'),
      label: label(row, 'target'),
      cwe: cweIds(row, 'cwe'),
      cve: text(row, 'cve'),
    }),
  check: (row) => {
    if (!text(row, 'func')) return 'missing-function';
    return label(row, 'target') === undefined ? 'unknown-label' : undefined;
  },
};

import type { Preset } from './preset.js';
import { label, sample, text } from './values.js';

const metrics = {
  la: 'Lines added.',
  ld: 'Lines deleted.',
  nf: 'Files touched.',
  nd: 'Folders touched.',
  ns: 'Subsystems touched.',
  ent: 'Entropy of the change over its files.',
  ndev: 'Developers who touched the files before.',
  age: 'Days since the files changed last, on average.',
  nuc: 'Unique last changes of the files.',
  aexp: "The author's changes so far.",
  arexp: "The author's changes so far, recent ones weighted more.",
  asexp: "The author's changes so far in the subsystems.",
};

/** ApacheJIT: commits of Apache projects with the change metrics of Kamei et al. (2013). Booleans are `True` and `False`. */
export const apacheJit: Preset = {
  name: 'apachejit',
  source: 'Keshavarz and Nagappan, ApacheJIT: A Large Dataset for Just-In-Time Defect Prediction (MSR 2022)',
  columns: {
    commit_id: { kind: 'text', about: 'Hash of the commit, 40 digits.' },
    project: { kind: 'text', about: 'Owner and name of the repository.' },
    buggy: { kind: 'boolean', about: 'A later fix was traced back to it.' },
    fix: { kind: 'boolean', about: 'It is a fix itself.', optional: true },
    year: { kind: 'integer', about: 'Of the author date.', optional: true },
    author_date: { kind: 'integer', about: 'Seconds since 1970.' },
    ...Object.fromEntries(Object.entries(metrics).map(([name, about]) => [name, { kind: 'number', about } as const])),
  },
  toSample: (row) =>
    sample({
      id: text(row, 'commit_id'),
      project: text(row, 'project'),
      commit: text(row, 'commit_id'),
      label: label(row, 'buggy'),
      metrics: Object.fromEntries(
        Object.keys(metrics).flatMap((name) => (typeof row[name] === 'number' ? [[name, row[name]]] : [])),
      ),
    }),
  check: (row) => {
    if (!/^[0-9a-f]{40}$/.test(text(row, 'commit_id') ?? '')) return 'no-commit-hash';
    return label(row, 'buggy') === undefined ? 'unknown-label' : undefined;
  },
};

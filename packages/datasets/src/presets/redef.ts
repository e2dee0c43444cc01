import type { Preset } from './preset.js';
import { label, sample, text } from './values.js';

/**
 * ReDef: one changed function a row. The paper (section 3.1) names the two texts and the messages of the evidence bundle;
 * the other names are those of our own records, and every file of `redef.change/1` rows fits.
 */
export const redef: Preset = {
  name: 'redef',
  source: 'Probing Pre-trained Language Models on Code Changes: Insights from ReDef, section 3.1',
  columns: {
    id: { kind: 'any', about: 'Names the change.', optional: true },
    project: { kind: 'text', about: 'Repository that the change is from.', optional: true },
    commit: { kind: 'text', about: 'Hash of the commit that made the change.', optional: true },
    path: { kind: 'text', about: 'File of the function.', optional: true },
    function_name: { kind: 'text', about: 'Name of the function.', optional: true },
    message: { kind: 'text', about: 'Message of the commit.', optional: true },
    function_before: { kind: 'text', about: 'The function before the change, whole.' },
    function_after: { kind: 'text', about: 'The function after the change, whole.' },
    label: { kind: 'any', about: 'Defective (1, true, defective) or clean (0, false, clean).', optional: true },
  },
  toSample: (row) =>
    sample({
      id: text(row, 'id'),
      project: text(row, 'project'),
      commit: text(row, 'commit'),
      path: text(row, 'path'),
      function_name: text(row, 'function_name'),
      message: text(row, 'message'),
      function_before: text(row, 'function_before'),
      function_after: text(row, 'function_after'),
      label: label(row, 'label'),
    }),
  check: (row) => {
    if (!text(row, 'function_before') || !text(row, 'function_after')) return 'missing-function';
    if (row.function_before === row.function_after) return 'no-change';
    return 'label' in row && label(row, 'label') === undefined ? 'unknown-label' : undefined;
  },
};

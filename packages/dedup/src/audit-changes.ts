import { type CodeChange, type Label, RedefError, type RunOptions, type SplitName, throwIfAborted } from '@redef/core';
import { Auditor, type AuditorOptions, type DataAudit } from './auditor.js';
import { requireObject } from './checks.js';
import { checkRow, requireRows } from './rows.js';

/** A change with its sidecars joined: what the audit needs of them. */
export type SplitChange = Pick<
  CodeChange,
  'id' | 'project' | 'commit' | 'path' | 'function_signature' | 'committed_at' | 'function_before' | 'function_after'
> & {
  split: SplitName;
  label?: Label['label'];
};

/**
 * Audits labelled changes for what would let a model recognise a test change: the same pair of texts within or across
 * splits, one pair under both labels, one commit or one function in two splits, and a split in time that does not hold,
 * overall or within each project and label (ReDef, section 3.1). `leaks.time` has the two orders in that sequence.
 *
 * @throws `RedefError` `invalid-option`, `invalid-sets`, `invalid-row`, `invalid-record` for a change without a split, `aborted`
 */
export async function auditChanges(
  changes: AsyncIterable<SplitChange> | Iterable<SplitChange>,
  options: RunOptions & Pick<AuditorOptions, 'near'> = {},
): Promise<DataAudit> {
  requireObject('options', options);
  requireRows('changes', changes);
  const { signal, onEvent, near = false } = options;
  const names: SplitName[] = ['train', 'validation', 'test'];
  const rows = names.map(() => 0);
  const auditor = new Auditor(names, {
    key: ['function_before', 'function_after'],
    layout: {
      code: 'function_before',
      repaired: 'function_after',
      labels: ['label'],
      project: 'project',
      commit: 'commit',
      function: ['path', 'function_signature'],
      time: 'committed_at',
      within: ['project', 'label'],
    },
    levels: ['exact', 'normalised'],
    near,
  });
  let done = 0;
  for await (const change of changes) {
    throwIfAborted(signal);
    checkRow('changes', done, change);
    const set = names.indexOf(change.split);
    if (set < 0) {
      throw new RedefError(
        `change ${change.id}: expected a split of ${names.join(', ')}, got ${JSON.stringify(change.split)}`,
        {
          code: 'invalid-record',
          remedy: 'Join each change with its redef.split/1 row first.',
        },
      );
    }
    auditor.add(set, rows[set]!++, { ...change, label: change.label ?? null });
    done++;
    if (done % 1000 === 0) onEvent?.({ type: 'progress', stage: 'audit', done, unit: 'changes' });
  }
  onEvent?.({ type: 'progress', stage: 'audit', done, total: done, unit: 'changes' });
  return auditor.result({ ...(signal && { signal: signal }), ...(onEvent && { onEvent: onEvent }) });
}

import { type RunOptions, throwIfAborted } from '@redef/core';
import { Auditor, type AuditorOptions, type DataAudit } from './auditor.js';
import { requireObject } from './checks.js';
import { checkRow, type DataSets, namesOf } from './rows.js';

export interface AuditDataOptions extends AuditorOptions, RunOptions {}

const progressEvery = 10_000;

/**
 * Audits sets of rows for duplicates within and across them, contradictory labels, leaks by commit, function and time,
 * and damaged rows (R+R, sections 2, 3.1 and 6). Reads each set once, in the given order, the evaluated set last; texts
 * are never kept, so memory grows by some 200 bytes a row.
 *
 * @throws `RedefError` `invalid-option`, `invalid-sets`, `invalid-row`, `missing-column`, `unknown-level`, `aborted`
 */
export async function auditData(sets: DataSets, options: AuditDataOptions = {}): Promise<DataAudit> {
  requireObject('options', options);
  const names = namesOf(sets);
  const auditor = new Auditor(names, options);
  for (const [set, name] of names.entries()) {
    let done = 0;
    for await (const value of sets[name]!) {
      throwIfAborted(options.signal);
      checkRow(name, done, value);
      auditor.add(set, done++, value);
      if (done % progressEvery === 0) options.onEvent?.({ type: 'progress', stage: name, done, unit: 'rows' });
    }
    options.onEvent?.({ type: 'progress', stage: name, done, total: done, unit: 'rows' });
  }
  return auditor.result({
    ...(options.signal && { signal: options.signal }),
    ...(options.onEvent && { onEvent: options.onEvent }),
  });
}

import type { DataAudit } from '../auditor.js';
import { count, percent } from './tables.js';

/** What a reader must know first, a sentence each. */
export function auditVerdicts(audit: DataAudit): string[] {
  const names = Object.keys(audit.sets);
  const verdicts: string[] = [];
  const last = names.at(-1)!;
  const { rows } = audit.sets[last]!;
  if (names.length > 1) {
    const leaked = (level: string) => audit.leakedRows[level]?.length ?? 0;
    const exact = leaked('exact');
    const stripped = leaked('tag-stripped') - exact;
    verdicts.push(
      exact === 0
        ? `No row of ${last} stands in another set.`
        : `${count(exact)} of ${count(rows)} rows of ${last} (${percent(exact / rows)}) stand in another set too.`,
    );
    if (stripped > 0) verdicts.push(`${count(stripped)} more differ from such a row in the CWE tag alone.`);
    if (audit.near) {
      const near = leaked('near');
      verdicts.push(
        `${count(near)} rows of ${last} (${percent(rows ? near / rows : 0)}) have an exact, renamed or near twin in another set.`,
      );
    }
  }
  for (const name of names) {
    const { inSetDuplicates, rows } = audit.sets[name]!;
    if (inSetDuplicates > 0) verdicts.push(`${name} repeats ${count(inSetDuplicates)} of its ${count(rows)} rows.`);
  }
  if (audit.contradictions > 0) {
    verdicts.push(`${count(audit.contradictions)} codes stand under several labels.`);
  }
  const { commits, functions, time } = audit.leaks;
  if (commits && commits.shared > 0) verdicts.push(`${count(commits.shared)} commits have rows in several sets.`);
  if (functions && functions.shared > 0)
    verdicts.push(`${count(functions.shared)} functions have versions in several sets.`);
  for (const { within, holds } of time ?? []) {
    if (!holds && names.length > 1) {
      verdicts.push(
        `The sets do not follow one another in time${within.length > 0 ? ` within each ${within.join(' and ')}` : ''}.`,
      );
    }
  }
  return verdicts;
}

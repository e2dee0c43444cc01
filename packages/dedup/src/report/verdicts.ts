import type { DataAudit } from '../auditor.js';
import { requireAudit } from '../checks.js';
import { count, percent } from './tables.js';

/** What a reader must know first, a sentence each. */
export function auditVerdicts(audit: DataAudit): string[] {
  requireAudit(audit);
  const names = Object.keys(audit.sets);
  const verdicts: string[] = [];
  const last = names.at(-1)!;
  const { rows } = audit.sets[last]!;
  for (const name of names) if (audit.sets[name]!.rows === 0) verdicts.push(`${name} has no rows.`);
  if (names.length > 1 && rows > 0) {
    const leaked = (level: string) => audit.leakedRows[level]?.length ?? 0;
    const exact = leaked('exact');
    const stripped = leaked('tag-stripped') - exact;
    verdicts.push(
      exact === 0
        ? `No row of ${last} stands in another set.`
        : `Of the ${count(rows)} rows of ${last}, ${count(exact)} (${percent(exact / rows)}) stand in another set too.`,
    );
    if (stripped > 0) verdicts.push(`With the CWE tag left out it is ${count(exact + stripped)}.`);
    if (audit.near) {
      const near = leaked('near');
      verdicts.push(`With renamed and near duplicates it is ${count(near)} (${percent(near / rows)}).`);
    }
  }
  for (const name of names) {
    const { inSetDuplicates, rows } = audit.sets[name]!;
    if (inSetDuplicates > 0)
      verdicts.push(`Of the ${count(rows)} rows of ${name}, ${count(inSetDuplicates)} repeat an earlier one.`);
  }
  if (audit.contradictions > 0) {
    verdicts.push(`Codes that stand under several labels: ${count(audit.contradictions)}.`);
  }
  const { commits, functions, time } = audit.leaks;
  if (commits && commits.shared > 0) verdicts.push(`Commits with rows in several sets: ${count(commits.shared)}.`);
  if (functions && functions.shared > 0)
    verdicts.push(`Functions with versions in several sets: ${count(functions.shared)}.`);
  for (const { within, holds } of time ?? []) {
    if (!holds && names.length > 1) {
      verdicts.push(
        `The sets do not follow one another in time${within.length > 0 ? ` within each ${within.join(' and ')}` : ''}.`,
      );
    }
  }
  return verdicts.length > 0 ? verdicts : ['No row repeats another, and no code stands under several labels.'];
}

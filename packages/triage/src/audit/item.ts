import { type ChangeEvidence, type CodeChange, type Label, RedefError } from '@redef/core';
import * as v from 'valibot';

const itemSchema = v.object({
  schema: v.literal('redef.audit-item/1'),
  id: v.pipe(v.string(), v.minLength(1)),
  /** What reports count by and samples are stratified by: a project, a CWE. */
  group: v.string(),
  title: v.string(),
  /** What the reviewer is to confirm or refute. */
  claim: v.string(),
  /** Further evidence, in the order it is shown. */
  texts: v.array(v.object({ title: v.string(), text: v.string() })),
  before: v.object({ title: v.string(), text: v.string() }),
  after: v.object({ title: v.string(), text: v.string() }),
});
/** One thing to review, with all that the reviewer sees. */
export type AuditItem = v.InferOutput<typeof itemSchema>;

/** @throws `RedefError` `invalid-audit-item` */
export function parseAuditItem(value: unknown, where: string): AuditItem {
  const result = v.safeParse(itemSchema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new RedefError(`${where}: ${v.getDotPath(issue) ?? 'item'}: ${issue.message}`, {
    code: 'invalid-audit-item',
    remedy:
      'Correct the row: it needs "schema": "redef.audit-item/1", id, group, title, claim, texts, before and after.',
  });
}

/**
 * A labelled change as the paper's reviewers saw it (ReDef, section 5, RQ1): both messages and both functions. The
 * ballots are left out, so that nobody is led by them.
 */
export function labelItem(change: CodeChange, evidence: ChangeEvidence, label: Label): AuditItem {
  return {
    schema: 'redef.audit-item/1',
    id: change.id,
    group: change.project,
    title: `${change.project}: ${change.function_name} in ${change.path}, ${change.commit.slice(0, 12)}`,
    claim: `${label.label}${label.transition ? ` (${label.transition})` : ''}`,
    texts: [
      {
        title: evidence.kind === 'revert' ? 'Message of the reverted commit' : 'Message of the commit',
        text: change.message,
      },
      ...(evidence.kind === 'revert'
        ? [{ title: 'Message of the revert', text: evidence.revert_message }]
        : evidence.later_commits.map(({ commit, message }) => ({
            title: `Later commit ${commit.slice(0, 12)} of the same function`,
            text: message,
          }))),
    ],
    before: { title: 'Function before', text: change.function_before },
    after: { title: 'Function after', text: change.function_after },
  };
}

/** A vulnerability sample as R+R, section 3.6, examines it. */
export interface VulnerabilitySample {
  id: string;
  /** `CWE-787`. */
  cwe: string;
  /** `CVE-2019-1234`. */
  cve: string;
  /** What the CVE's entry says. */
  cve_text: string;
  /** Of the commit that repaired it. */
  message?: string;
  vulnerable: string;
  repaired: string;
}

export function vulnerabilityItem(sample: VulnerabilitySample): AuditItem {
  const { id, cwe, cve, cve_text, message, vulnerable, repaired } = sample;
  return {
    schema: 'redef.audit-item/1',
    id,
    group: cwe,
    title: `${cve}, ${id}`,
    claim: cwe,
    texts: [{ title: cve, text: cve_text }, ...(message ? [{ title: 'Message of the repair', text: message }] : [])],
    before: { title: 'Vulnerable', text: vulnerable },
    after: { title: 'Repaired', text: repaired },
  };
}

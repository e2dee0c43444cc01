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

/**
 * Checks a row of an item file: an audit item, or a vulnerability sample, which is made into one.
 *
 * @throws `RedefError` `invalid-audit-item`
 */
export function parseAuditItem(value: unknown, where: string): AuditItem {
  const isItem = typeof value === 'object' && value !== null && 'schema' in value;
  const result = isItem ? v.safeParse(itemSchema, value) : v.safeParse(sampleSchema, value);
  if (result.success) return 'schema' in result.output ? result.output : vulnerabilityItem(result.output);
  const [issue] = result.issues;
  throw new RedefError(`${where}: ${v.getDotPath(issue) ?? 'item'}: ${issue.message}`, {
    code: 'invalid-audit-item',
    remedy:
      'A row is {"schema":"redef.audit-item/1",id,group,title,claim,texts,before,after}, or for vulnerabilities {id,cwe,cve,cve_text,vulnerable,repaired}.',
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

const sampleSchema = v.object({
  id: v.pipe(v.string(), v.minLength(1)),
  /** `CWE-787`. */
  cwe: v.pipe(v.string(), v.regex(/^CWE-\d+$/, 'expected CWE- and a number')),
  /** `CVE-2019-1234`. */
  cve: v.string(),
  /** What the CVE's entry says. */
  cve_text: v.string(),
  /** Of the commit that repaired it. */
  message: v.optional(v.string()),
  vulnerable: v.string(),
  repaired: v.string(),
});
/** A vulnerability sample with what R+R, section 3.6, examines it by. */
export type VulnerabilitySample = v.InferOutput<typeof sampleSchema>;

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

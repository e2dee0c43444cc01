import type { Reject } from '@redef/core';
import type { History } from '../history/load-history.js';
import { keyOf } from '../history/rows.js';
import type { Mention, Reference } from './parse-message.js';

/** A commit and the later one that says it reverts it. */
export interface RevertLink {
  revert: number;
  target: number;
  shape: string;
  loose: boolean;
  strict: boolean;
  /** The revert holds: no later commit reverts it in turn, and the target did not land again. */
  effective: boolean;
}

export interface RevertLinks {
  /** All links by target, the one that tells most first. */
  byTarget: Map<number, RevertLink[]>;
  rejects: Reject[];
}

/** What git says of an id that is no commit of this history. */
export type ObjectKind = 'commit' | 'other' | 'ambiguous' | 'missing';

/** Resolves what messages mention to earlier commits of the history, and follows reverts of reverts. */
export async function linkReverts(
  history: History,
  kindsOf: (hashes: readonly string[]) => Promise<ObjectKind[]>,
): Promise<RevertLinks> {
  const { table, graph, messages } = history;
  const links = new Map<string, RevertLink>();
  const relands: { commit: number; target: number }[] = [];
  const rejects: Reject[] = [];
  const unresolved: { commit: number; hash: string }[] = [];
  const lookup = nameLookup(history);
  const refuse = (commit: number, reason: string, detail: string): void => {
    rejects.push({ schema: 'redef.reject/1', id: table.id(commit), stage: 'revert', reason, detail });
  };

  messages.sort((a, b) => graph.position[a.commit]! - graph.position[b.commit]!);
  for (const message of messages) {
    const { commit } = message;
    const resolve = (mention: Mention): number | undefined => {
      const { reference, strict } = mention;
      const found = candidatesFor(reference, commit, history, lookup);
      if (found.length === 0) {
        if (reference.kind === 'hash' && strict) unresolved.push({ commit, hash: reference.hash });
        else if (strict) refuse(commit, `${reference.kind}-unknown`, describe(reference));
        return undefined;
      }
      if (found.length > 1) {
        refuse(commit, 'hash-ambiguous', describe(reference));
        return undefined;
      }
      const [target] = found as [number];
      if (target === commit) return undefined;
      if (!graph.isAncestor(target, commit)) {
        if (strict) refuse(commit, 'target-not-earlier', `${describe(reference)} is no ancestor of the revert`);
        return undefined;
      }
      return target;
    };
    let named = false;
    for (const mention of message.reverts) {
      // a quoted subject counts only where no identifier was found
      if (mention.reference.kind === 'subject' && named) continue;
      const target = resolve(mention);
      if (target === undefined) continue;
      if (mention.strict) named = true;
      const single = singleTarget(target, history);
      if (single === undefined) {
        refuse(commit, 'target-is-merge', describe(mention.reference));
        continue;
      }
      const link: RevertLink = {
        revert: commit,
        target: single,
        shape: single === target ? mention.shape : 'merge-of-one-commit',
        loose: message.keyword && mention.reference.kind === 'hash',
        strict: mention.strict,
        effective: true,
      };
      const key = `${commit} ${single}`;
      const known = links.get(key);
      if (!known) links.set(key, link);
      else known.loose ||= link.loose;
    }
    for (const mention of message.relands) {
      const target = resolve(mention);
      if (target !== undefined) relands.push({ commit, target });
    }
  }
  await explainUnresolved(unresolved, kindsOf, refuse);
  const all = [...links.values()];
  markEffective(all, relands, history);
  const byTarget = new Map<number, RevertLink[]>();
  for (const link of all) {
    const known = byTarget.get(link.target);
    if (known) known.push(link);
    else byTarget.set(link.target, [link]);
  }
  for (const list of byTarget.values())
    list.sort((a, b) => rank(b) - rank(a) || graph.position[a.revert]! - graph.position[b.revert]!);
  return { byTarget, rejects };
}

const rank = (link: RevertLink): number => (link.effective ? 4 : 0) + (link.strict ? 2 : 0) + (link.loose ? 1 : 0);

function describe(reference: Reference): string {
  switch (reference.kind) {
    case 'hash':
      return reference.hash;
    case 'svn':
      return `r${reference.revision}`;
    case 'pull-request':
      return `#${reference.number}`;
    case 'subject':
      return JSON.stringify(reference.subject);
  }
}

function candidatesFor(reference: Reference, commit: number, history: History, lookup: NameLookup): number[] {
  if (reference.kind === 'hash') return history.table.find(reference.hash);
  const named =
    reference.kind === 'svn'
      ? (lookup.svnRevisions.get(reference.revision) ?? [])
      : reference.kind === 'pull-request'
        ? (lookup.pullRequests.get(reference.number) ?? [])
        : lookup.subjects(reference.subject);
  const found =
    named.findLast((earlier) => earlier !== commit && history.graph.isAncestor(earlier, commit)) ??
    (reference.kind === 'subject' ? undefined : named.at(-1)); // a number says more than equal words: it is told as too late
  return found === undefined ? [] : [found];
}

/** The commits of a name in the order of the history: branches and cherry-picks give several the same. */
interface NameLookup {
  svnRevisions: ReadonlyMap<number, readonly number[]>;
  pullRequests: ReadonlyMap<number, readonly number[]>;
  subjects(subject: string): readonly number[];
}

/** The commits by the names that the messages of this history mention: no others are held. */
function nameLookup({ names, graph, messages }: History): NameLookup {
  const mentioned = messages.flatMap(({ reverts, relands }) => [...reverts, ...relands]);
  const wanted = { svn: new Set<number>(), pull: new Set<number>(), subject: new Set<number>() };
  for (const { reference } of mentioned) {
    if (reference.kind === 'svn') wanted.svn.add(reference.revision);
    else if (reference.kind === 'pull-request') wanted.pull.add(reference.number);
    else if (reference.kind === 'subject') wanted.subject.add(keyOf('', reference.subject.trim()));
  }
  wanted.svn.delete(0); // stands for no number
  wanted.pull.delete(0);
  const byName = (column: ArrayLike<number>, wantedNames: ReadonlySet<number>): Map<number, number[]> => {
    const found = new Map<number, number[]>();
    for (const commit of graph.order) {
      const name = column[commit]!;
      if (!wantedNames.has(name)) continue;
      const list = found.get(name);
      if (list) list.push(commit);
      else found.set(name, [commit]);
    }
    return found;
  };
  const bySubject = byName(names.subjects, wanted.subject);
  return {
    svnRevisions: byName(names.svnRevisions, wanted.svn),
    pullRequests: byName(names.pullRequests, wanted.pull),
    subjects: (subject) => bySubject.get(keyOf('', subject.trim())) ?? [],
  };
}

/** The commit itself; of a merge the one commit that it brought in, if it is one. */
function singleTarget(target: number, { table, graph }: History): number | undefined {
  if (table.parentCount[target]! <= 1) return target;
  const [first = -1, second = -1, ...more] = table.parents(target);
  if (more.length > 0 || first < 0 || second < 0 || table.parentCount[second]! !== 1) return undefined;
  const base = table.firstParent[second]!;
  return base >= 0 && (base === first || graph.isAncestor(base, first)) ? second : undefined;
}

async function explainUnresolved(
  unresolved: readonly { commit: number; hash: string }[],
  kindsOf: (hashes: readonly string[]) => Promise<ObjectKind[]>,
  refuse: (commit: number, reason: string, detail: string) => void,
): Promise<void> {
  const kinds = await kindsOf(unresolved.map(({ hash }) => hash));
  const reasons: Record<ObjectKind, string> = {
    commit: 'hash-outside-history',
    other: 'hash-not-a-commit',
    ambiguous: 'hash-ambiguous',
    missing: 'hash-unknown',
  };
  for (const [index, { commit, hash }] of unresolved.entries())
    refuse(commit, reasons[kinds[index] ?? 'missing'], hash);
}

/**
 * A revert does not hold where a later one that holds takes it back, or where the target landed again by a later commit
 * that says so or makes the same change to the same function. Links are judged from the latest revert to the earliest,
 * so each is judged by ones that are already.
 */
function markEffective(
  links: RevertLink[],
  relands: readonly { commit: number; target: number }[],
  history: History,
): void {
  const { graph } = history;
  const { position } = graph;
  const undone = new Set<number>();
  const relandsOf = new Map<number, number[]>();
  for (const { commit, target } of relands) relandsOf.set(target, [...(relandsOf.get(target) ?? []), commit]);
  const sameChange = sameChanges(
    links.map(({ target }) => target),
    history,
  );
  links.sort((a, b) => position[b.revert]! - position[a.revert]! || position[b.target]! - position[a.target]!);
  for (const link of links) {
    const again = [
      ...(relandsOf.get(link.target) ?? []),
      ...(relandsOf.get(link.revert) ?? []),
      ...(sameChange.get(link.target) ?? []),
    ];
    const landedAgain = again.some(
      (commit) => commit !== link.target && graph.isAncestor(link.revert, commit) && !undone.has(commit),
    );
    link.effective = !undone.has(link.revert) && !landedAgain;
    if (link.effective && link.strict) undone.add(link.target);
  }
}

/** The commits that make the same change to the same function of a file as some single-function changes do. */
function sameChanges(targets: readonly number[], { verdicts, table }: History): Map<number, number[]> {
  const byTexts = new Map<number, number[]>();
  for (const target of targets) if (verdicts.isSingle(target)) byTexts.set(verdicts.texts[target]!, []);
  for (let commit = 0; commit < table.count; commit++) {
    if (verdicts.isSingle(commit)) byTexts.get(verdicts.texts[commit]!)?.push(commit);
  }
  const same = new Map<number, number[]>();
  for (const target of targets) {
    if (!verdicts.isSingle(target)) continue;
    const path = verdicts.path(target);
    const commits = byTexts.get(verdicts.texts[target]!)!;
    same.set(
      target,
      commits.filter((commit) => verdicts.path(commit) === path),
    );
  }
  return same;
}

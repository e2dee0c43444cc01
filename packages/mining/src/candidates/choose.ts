import { createRng } from '@redef/core';
import type { History, SingleChange } from '../history/load-history.js';
import { commitFlag } from '../history/load-history.js';
import type { LabelRule } from '../options.js';
import type { RevertLink, RevertLinks } from '../reverts/link-reverts.js';
import { matchByTime } from './match-clean.js';

export interface ChooseOptions {
  label: LabelRule;
  keepRelanded: boolean;
  ratio: number;
  windowDays: number;
  allClean: boolean;
  laterCommits: number;
  seed: number | string;
}

export interface Choice {
  defective: Map<number, { change: SingleChange; link: RevertLink }>;
  clean: Map<number, { change: SingleChange; later: number[] }>;
  rejected: { change: SingleChange; stage: 'revert' | 'screen' | 'match'; reason: string; detail?: string }[];
  unmatched: number;
}

const fits = (link: RevertLink, rule: LabelRule): boolean =>
  rule === 'any' || (rule === 'loose' ? link.loose : link.strict);

/**
 * Sorts single-function changes into the two classes of ReDef, section 3.1. Defective: the target of a revert. Clean:
 * never reverted by any link, touched again later, with no problem word in the messages of the first later commits; of
 * these as many as the ratio wants, near in time to the defective ones.
 *
 * @param eligible changes that pass the user's filters, in the order of the history
 */
export function chooseCandidates(
  history: History,
  links: RevertLinks,
  eligible: readonly SingleChange[],
  options: ChooseOptions,
): Choice {
  const choice: Choice = { defective: new Map(), clean: new Map(), rejected: [], unmatched: 0 };
  const survivors: { change: SingleChange; later: number[]; seconds: number }[] = [];
  for (const change of eligible) {
    const { commit } = change;
    const reverts = links.byTarget.get(commit);
    if (reverts) {
      const link = reverts.find((candidate) => fits(candidate, options.label));
      if (!link)
        choice.rejected.push({ change, stage: 'revert', reason: 'other-label-rule', detail: reverts[0]!.shape });
      else if (!link.effective && !options.keepRelanded) {
        choice.rejected.push({ change, stage: 'revert', reason: 'relanded', detail: history.table.id(link.revert) });
      } else choice.defective.set(commit, { change, link });
      continue;
    }
    const later = history.touches.later(commit, change, options.laterCommits);
    const problem = later.find((other) => (history.table.flags[other]! & commitFlag.problem) !== 0);
    if (problem !== undefined) {
      choice.rejected.push({ change, stage: 'screen', reason: 'problem-word', detail: history.table.id(problem) });
    } else if (later.length === 0) choice.rejected.push({ change, stage: 'screen', reason: 'never-touched-again' });
    else survivors.push({ change, later, seconds: history.table.seconds[commit]! });
  }
  if (options.allClean) {
    for (const { change, later } of survivors) choice.clean.set(change.commit, { change, later });
    return choice;
  }
  const byTime = [...survivors].sort(
    (a, b) => a.seconds - b.seconds || history.table.compareIds(a.change.commit, b.change.commit),
  );
  const anchors = [...choice.defective.keys()].map((commit) => ({ seconds: history.table.seconds[commit]! }));
  const { chosen, unmatched } = matchByTime(anchors, byTime, {
    ratio: options.ratio,
    windowSeconds: options.windowDays * 86_400,
    rng: createRng(options.seed).fork('clean'),
  });
  choice.unmatched = unmatched;
  for (const place of chosen) {
    const { change, later } = byTime[place]!;
    choice.clean.set(change.commit, { change, later });
  }
  for (const { change } of survivors) {
    if (!choice.clean.has(change.commit)) choice.rejected.push({ change, stage: 'match', reason: 'not-drawn' });
  }
  return choice;
}

import { createRng } from '@redef/core';
import type { History } from '../history/load-history.js';
import type { LabelRule } from '../options.js';
import type { RevertLink, RevertLinks } from '../reverts/link-reverts.js';
import { matchByTime } from './match-clean.js';
import { type Screen, screened } from './screen.js';

export interface ChooseOptions {
  label: LabelRule;
  keepRelanded: boolean;
  ratio: number;
  windowDays: number;
  allClean: boolean;
  seed: number | string;
}

/** What becomes of a commit. All but the first three are rejects of a single-function change. */
export const outcome = {
  none: 0,
  defective: 1,
  clean: 2,
  otherLabelRule: 3,
  relanded: 4,
  problemWord: 5,
  neverTouchedAgain: 6,
  notDrawn: 7,
} as const;

export interface Choice {
  /** {@link outcome} by commit. */
  outcomes: Uint8Array;
  /** The revert of each defective one, and of each left out for its label or because it landed again. */
  links: Map<number, RevertLink>;
  unmatched: number;
}

const fits = (link: RevertLink, rule: LabelRule): boolean =>
  rule === 'any' || (rule === 'loose' ? link.loose : link.strict);

/**
 * Sorts single-function changes into the two classes of ReDef, section 3.1. Defective: the target of a revert. Clean:
 * never reverted by any link, and a survivor of the screen; of these as many as the ratio wants, near in time to the
 * defective ones.
 *
 * @param isEligible whether a commit is a single-function change that passes the user's filters; these were screened
 */
export function chooseCandidates(
  { graph, table }: History,
  reverts: RevertLinks,
  screen: Screen,
  isEligible: (commit: number) => boolean,
  options: ChooseOptions,
): Choice {
  const outcomes = new Uint8Array(table.count);
  const links = new Map<number, RevertLink>();
  const anchors: number[] = [];
  let survivors = 0;
  for (const commit of graph.order) {
    if (!isEligible(commit)) continue;
    const own = reverts.byTarget.get(commit);
    if (own) {
      const link = own.find((candidate) => fits(candidate, options.label));
      links.set(commit, link ?? own[0]!);
      if (!link) outcomes[commit] = outcome.otherLabelRule;
      else if (!link.effective && !options.keepRelanded) outcomes[commit] = outcome.relanded;
      else {
        outcomes[commit] = outcome.defective;
        anchors.push(table.seconds[commit]!);
      }
    } else if (screen.result[commit] === screened.problem) outcomes[commit] = outcome.problemWord;
    else if (screen.result[commit] === screened.neverTouchedAgain) outcomes[commit] = outcome.neverTouchedAgain;
    else {
      outcomes[commit] = options.allClean ? outcome.clean : outcome.notDrawn;
      survivors++;
    }
  }
  if (options.allClean) return { outcomes, links, unmatched: 0 };
  const pool = new Int32Array(survivors);
  let next = 0;
  for (const commit of graph.order) if (outcomes[commit] === outcome.notDrawn) pool[next++] = commit;
  pool.sort((a, b) => table.seconds[a]! - table.seconds[b]! || table.compareIds(a, b));
  const { chosen, unmatched } = matchByTime(
    anchors,
    Float64Array.from(pool, (commit) => table.seconds[commit]!),
    {
      ratio: options.ratio,
      windowSeconds: options.windowDays * 86_400,
      rng: createRng(options.seed).fork('clean'),
    },
  );
  for (const place of chosen) outcomes[pool[place]!] = outcome.clean;
  return { outcomes, links, unmatched };
}

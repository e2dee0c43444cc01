import { createRng } from '@redef/core';
import { collectDeduplicated, type LevelOption, type RemovalPolicy, type RemovalReason } from '@redef/dedup';
import type { RepairTruth } from '@redef/repair';

/** A sample of a repair data set. A type, not an interface: rows of `@redef/dedup` are plain records. */
export type RepairRow = Pick<RepairTruth, 'id' | 'source' | 'target'>;

/** How R+R's research questions cut the data (sections 4.1 to 4.3). RQ1 leaves it as published. */
export const dataScenarios = {
  RQ1: undefined,
  RQ2A: { policy: 'cut-from-train', level: 'exact' },
  RQ2B: { policy: 'cut-from-test', level: 'exact' },
  RQ3A: { policy: 'cut-from-train', level: 'tag-stripped' },
  RQ3B: { policy: 'cut-from-test', level: 'tag-stripped' },
} as const satisfies Record<string, { policy: RemovalPolicy; level: LevelOption } | undefined>;

export type DataScenario = keyof typeof dataScenarios;

/** RQ5 (section 4.5) besides: trained on the bug-fix corpus alone, and that model fine-tuned. Both are tested as RQ3B. */
export const repairScenarios = [...(Object.keys(dataScenarios) as DataScenario[]), 'bug-fix', 'transfer'] as const;

export type RepairScenario = (typeof repairScenarios)[number];

/** As the report names them. */
export const scenarioTitles: Record<RepairScenario, string> = {
  RQ1: 'RQ1: as published',
  RQ2A: 'RQ2A: duplicates cut from train',
  RQ2B: 'RQ2B: duplicates cut from test',
  RQ3A: 'RQ3A: the same under any CWE cut from train',
  RQ3B: 'RQ3B: the same under any CWE cut from test',
  'bug-fix': 'bug-fix only',
  transfer: 'bug-fix, then fine-tuned',
};

export interface RepairSplit {
  train: RepairRow[];
  /** Chooses the epoch. */
  validation: RepairRow[];
  test: RepairRow[];
  /** Rows that were removed, by `set reason`. */
  removed: Record<string, number>;
}

/** VulRepair's own validation set was drawn from its training set: 839 of 6,776 rows. */
export const publishedValidation = { share: 839 / 6776, seed: 42 };

/**
 * The sets of a scenario. Duplicates are removed first, then the validation set is drawn from what is left of the training
 * set, so that none of it is in both.
 */
export async function splitFor(
  scenario: DataScenario,
  rows: { train: readonly RepairRow[]; test: readonly RepairRow[] },
  validation: { share: number; seed: number },
): Promise<RepairSplit> {
  const rule = dataScenarios[scenario];
  const { kept, removed } = rule
    ? await collectDeduplicated({ train: rows.train, test: rows.test }, { ...rule, key: ['source', 'target'] })
    : { kept: { train: [...rows.train], test: [...rows.test] }, removed: [] };
  const counts: Record<string, number> = {};
  for (const { set, removed: why } of removed) {
    const name: `${string} ${RemovalReason}` = `${set} ${why.reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  const order = createRng(validation.seed)
    .fork('validation')
    .shuffle([...kept.train!.keys()]);
  const chosen = new Set(order.slice(0, Math.round(validation.share * order.length)));
  return {
    train: kept.train!.filter((_, index) => !chosen.has(index)),
    validation: kept.train!.filter((_, index) => chosen.has(index)),
    test: kept.test!,
    removed: counts,
  };
}

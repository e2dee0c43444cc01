import { type CodeChange, type Label, RedefError, type Split, type SplitName, UniqueIds } from '@redef/core';

/** What a split needs of a change. */
export type DatedChange = Pick<CodeChange, 'id' | 'project' | 'commit' | 'committed_at'>;

/**
 * How labelled changes are divided:
 *
 * - `per-class`: by time within each repository and each class (ReDef, section 3.1). Every project and both classes stand
 *   in every split at the same balance, but a clean change of the training set can be newer than a defective one of the
 *   test set.
 * - `strict`: by time over everything. Nothing that is trained on is newer than anything that is tested; balance and
 *   projects fall as they may.
 * - `cross-project`: the named projects test, the others train and validate (by time within each repository and class,
 *   the newest ninth validates). One project at a time is leave-one-project-out.
 */
export type SplitRule =
  | { rule: 'per-class' }
  | { rule: 'strict' }
  | { rule: 'cross-project'; testProjects: readonly string[] };

/** The rule's name as split rows carry it. */
export function splitRuleName(rule: SplitRule): string {
  switch (rule.rule) {
    case 'per-class':
      return 'time-per-repository-and-class/80-10-10';
    case 'strict':
      return 'time-strict/80-10-10';
    case 'cross-project':
      return `cross-project/${[...rule.testProjects].sort().join(',')}`;
  }
}

/**
 * Divides labelled changes by a rule. Time is committer time, ties go by commit and change id. Where n changes are
 * divided 80/10/10, the first floor(0.8 n) train, those up to floor(0.9 n) validate, the rest test; `strict` moves each
 * cut back so that changes of one instant stay together.
 *
 * @returns one row a labelled change, in the order of `changes`
 * @throws `RedefError` `duplicate-id` where two changes have one, `unknown-project` where no labelled change is of a project that the rule names
 */
export function splitChanges(
  changes: readonly DatedChange[],
  labels: ReadonlyMap<string, Label['label']>,
  rule: SplitRule = { rule: 'per-class' },
): Split[] {
  const ids = new UniqueIds((place) => `change ${place}`);
  for (const [index, { id }] of changes.entries()) ids.add(id, index + 1);
  const labelled = changes.filter(({ id }) => labels.has(id));
  const splitOf = new Map<string, SplitName>();
  const assign = (group: readonly DatedChange[], place: (position: number, size: number) => SplitName): void => {
    const ordered = [...group].sort(byTime);
    ordered.forEach(({ id }, position) => {
      splitOf.set(id, place(position, ordered.length));
    });
  };
  const groupsOf = (rows: readonly DatedChange[]): DatedChange[][] =>
    groupBy(rows, ({ id, project }) => JSON.stringify([project, labels.get(id)]));

  if (rule.rule === 'per-class') {
    for (const group of groupsOf(labelled)) assign(group, eightyTenTen);
  } else if (rule.rule === 'strict') {
    const times = labelled.map(timeOf).sort((a, b) => a - b);
    const trainEnd = times[Math.floor((times.length * 8) / 10)] ?? 0;
    const validationEnd = times[Math.floor((times.length * 9) / 10)] ?? 0;
    for (const change of labelled) {
      const time = timeOf(change);
      splitOf.set(change.id, time < trainEnd ? 'train' : time < validationEnd ? 'validation' : 'test');
    }
  } else {
    const projects = new Set(labelled.map(({ project }) => project));
    const unknown = rule.testProjects.find((project) => !projects.has(project));
    if (unknown !== undefined || rule.testProjects.length === 0) throw unknownProject(unknown, projects);
    const tests = ({ project }: DatedChange): boolean => rule.testProjects.includes(project);
    assign(labelled.filter(tests), () => 'test');
    for (const group of groupsOf(labelled.filter((change) => !tests(change)))) {
      assign(group, (position, size) => (position < Math.floor((size * 8) / 9) ? 'train' : 'validation'));
    }
  }

  const name = splitRuleName(rule);
  return labelled.map(({ id }) => ({ schema: 'redef.split/1', id, split: splitOf.get(id)!, rule: name }));
}

function eightyTenTen(position: number, size: number): SplitName {
  if (position < Math.floor((size * 8) / 10)) return 'train';
  return position < Math.floor((size * 9) / 10) ? 'validation' : 'test';
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

const timeOf = ({ committed_at }: DatedChange): number => Date.parse(committed_at);

function byTime(a: DatedChange, b: DatedChange): number {
  return timeOf(a) - timeOf(b) || compare(a.commit, b.commit) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function unknownProject(project: string | undefined, projects: ReadonlySet<string>): RedefError {
  return new RedefError(
    project === undefined
      ? 'a cross-project split needs a project to test on'
      : `no labelled change is of the project ${project}`,
    { code: 'unknown-project', remedy: `Choose among ${[...projects].sort().join(', ')}.` },
  );
}

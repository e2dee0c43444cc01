import type { Category, Label, Transition, Vote } from '@redef/core';
import { cohenKappa, fleissKappa, type Interval, wilsonInterval } from './agreement.js';
import { quoteChecker } from './answer.js';
import type { Rule } from './decide.js';
import type { Evidence } from './evidence.js';
import type { TriageRow } from './triage.js';

/** How well the ballots of one class of candidates agree. */
export interface BallotAgreement {
  /** Candidates with no abstention: the ones the figures below rest on. */
  items: number;
  /** Candidates left out here because a ballot abstained. */
  left_out: number;
  /** All ballots named the same category. */
  unanimous: number;
  unanimity_rate: number | null;
  /** Wilson, 95%. */
  unanimity_interval: Interval | null;
  fleiss_kappa: number | null;
  /** How many candidates got each combination of ballots: all that a further statistic of agreement needs. */
  counts: (Record<Category, number> & { items: number })[];
}

/** One class's rows of Table 1, and the agreement behind them. */
export interface ClassSummary {
  /** Candidates. */
  before: number;
  /** Kept. */
  after: number;
  /** Kept with every ballot on the same sub-class. */
  transitions: Record<string, number>;
  /** Kept with ballots on both sub-classes, by the majority's; `tied` where there is none. */
  split: Record<string, number>;
  /** Not kept, by reason. */
  rejected: Record<string, number>;
  agreement: BallotAgreement;
  /** Candidates whose evidence was cut to fit, and by how many characters together. */
  truncated: { candidates: number; characters: number };
}

export interface VoterSummary {
  voter: string;
  rule_based: boolean;
  votes: number;
  categories: Record<Category, number>;
  abstained: number;
  /** Votes equal to the category that most of the candidate's ballots named, and the votes on candidates that have one. */
  with_majority: { votes: number; of: number };
  /** Votes with a quote that does not stand in the evidence. */
  votes_with_unsupported_quotes: number;
  input_tokens: number;
  output_tokens: number;
}

/** Agreement of two voters, or of one with itself, over all pairs of their ballots on the same candidate. */
export interface PairSummary {
  voters: [string, string];
  pairs: number;
  agree: number;
  /** `null` where undefined. */
  cohen_kappa: number | null;
}

export interface TriageSummary {
  schema: 'redef.triage-summary/1';
  rule: Rule;
  ballots: number;
  /** Some vote was cast by words alone: no figure here is a language model's. */
  rule_based: boolean;
  defective: ClassSummary;
  clean: ClassSummary;
  voters: VoterSummary[];
  pairs: PairSummary[];
}

const categories: readonly Category[] = ['A', 'B', 'C'];

/** Adds up a run. Holds counts only, however many candidates there are. */
export class SummaryTally {
  readonly #classes = { defective: new ClassTally(), clean: new ClassTally() };
  readonly #voters = new Map<string, VoterSummary>();
  readonly #pairs = new Map<string, { voters: [string, string]; table: number[][] }>();

  constructor(
    private readonly rule: Rule,
    private readonly ballots: number,
  ) {}

  add(evidence: Evidence, row: TriageRow): void {
    this.#classes[evidence.rubric.label].add(evidence, row);
    const majority = majorityOf(row.votes);
    const unsupported = quoteChecker(evidence);
    for (const vote of row.votes) this.#addVote(vote, majority, unsupported(vote.quotes).length > 0);
    row.votes.forEach((first, index) => {
      for (const second of row.votes.slice(index + 1)) this.#addPair(first, second);
    });
  }

  summary(): TriageSummary {
    const voters = [...this.#voters.values()].sort((a, b) => (a.voter < b.voter ? -1 : 1));
    const pairs = [...this.#pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
    return {
      schema: 'redef.triage-summary/1',
      rule: this.rule,
      ballots: this.ballots,
      rule_based: voters.some((voter) => voter.rule_based),
      defective: this.#classes.defective.summary(),
      clean: this.#classes.clean.summary(),
      voters,
      pairs: pairs.map(({ voters, table }) => ({
        voters,
        pairs: table.flat().reduce((sum, count) => sum + count, 0),
        agree: categories.reduce((sum, _, i) => sum + table[i]![i]!, 0),
        cohen_kappa: cohenKappa(voters[0] === voters[1] ? symmetric(table) : table),
      })),
    };
  }

  #addVote(vote: Vote, majority: Category | undefined, inventsQuotes: boolean): void {
    let entry = this.#voters.get(vote.voter);
    if (!entry) {
      entry = {
        voter: vote.voter,
        rule_based: vote.rule_based,
        votes: 0,
        categories: { A: 0, B: 0, C: 0 },
        abstained: 0,
        with_majority: { votes: 0, of: 0 },
        votes_with_unsupported_quotes: 0,
        input_tokens: 0,
        output_tokens: 0,
      };
      this.#voters.set(vote.voter, entry);
    }
    entry.votes++;
    if (vote.category) entry.categories[vote.category]++;
    else entry.abstained++;
    if (majority) {
      entry.with_majority.of++;
      if (vote.category === majority) entry.with_majority.votes++;
    }
    if (inventsQuotes) entry.votes_with_unsupported_quotes++;
    entry.input_tokens += vote.input_tokens ?? 0;
    entry.output_tokens += vote.output_tokens ?? 0;
  }

  #addPair(one: Vote, other: Vote): void {
    const [first, second] = one.voter <= other.voter ? [one, other] : [other, one];
    if (!first.category || !second.category) return;
    const key = JSON.stringify([first.voter, second.voter]);
    let pair = this.#pairs.get(key);
    if (!pair) {
      pair = { voters: [first.voter, second.voter], table: categories.map(() => [0, 0, 0]) };
      this.#pairs.set(key, pair);
    }
    pair.table[categories.indexOf(first.category)]![categories.indexOf(second.category)]!++;
  }
}

class ClassTally {
  #before = 0;
  #after = 0;
  #leftOut = 0;
  readonly #transitions: Record<string, number> = {};
  readonly #split: Record<string, number> = {};
  readonly #rejected: Record<string, number> = {};
  readonly #counts = new Map<string, Record<Category, number> & { items: number }>();
  readonly #truncated = { candidates: 0, characters: 0 };

  add(evidence: Evidence, { votes, label, reject }: TriageRow): void {
    this.#before++;
    if (label) this.#after++;
    if (label) increment(label.agreed ? this.#transitions : this.#split, label.transition ?? 'tied');
    if (reject) increment(this.#rejected, reject.reason);
    if (evidence.truncated > 0) {
      this.#truncated.candidates++;
      this.#truncated.characters += evidence.truncated;
    }
    if (votes.some((vote) => vote.category === null)) {
      this.#leftOut++;
      return;
    }
    const counts = { A: 0, B: 0, C: 0, items: 0 };
    for (const { category } of votes) counts[category!]++;
    const key = `${counts.A} ${counts.B} ${counts.C}`;
    const group = this.#counts.get(key) ?? counts;
    group.items++;
    this.#counts.set(key, group);
  }

  summary(): ClassSummary {
    const counts = [...this.#counts.values()].sort((x, y) => y.A - x.A || y.B - x.B || y.C - x.C);
    const items = counts.reduce((sum, group) => sum + group.items, 0);
    const unanimous = counts
      .filter(({ A, B, C }) => Math.max(A, B, C) === A + B + C)
      .reduce((sum, group) => sum + group.items, 0);
    return {
      before: this.#before,
      after: this.#after,
      transitions: sorted(this.#transitions),
      split: sorted(this.#split),
      rejected: sorted(this.#rejected),
      agreement: {
        items,
        left_out: this.#leftOut,
        unanimous,
        unanimity_rate: items === 0 ? null : unanimous / items,
        unanimity_interval: wilsonInterval(unanimous, items),
        fleiss_kappa: fleissKappa(counts.map(({ A, B, C, items }) => ({ counts: [A, B, C], items }))),
        counts,
      },
      truncated: this.#truncated,
    };
  }
}

/** The category that more than half of the ballots named. */
function majorityOf(votes: readonly Vote[]): Category | undefined {
  return categories.find((name) => 2 * votes.filter(({ category }) => category === name).length > votes.length);
}

/** Two ballots of one voter have no first and second: each pair counts in both orders. */
const symmetric = (table: number[][]) => table.map((row, i) => row.map((count, j) => count + table[j]![i]!));

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

const sorted = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

const classNames: readonly Label['label'][] = ['defective', 'clean'];
const arrows: Record<Label['label'], readonly Transition[]> = {
  defective: ['defective->defective', 'clean->defective'],
  clean: ['defective->clean', 'clean->clean'],
};

/** Table 1 of ReDef as Markdown, with a row for the split ballots that the paper's table leaves unnamed. */
export function renderTable1(summary: TriageSummary): string {
  const rows = classNames.flatMap((name) => {
    const { before, after, transitions, split } = summary[name];
    const divided = Object.values(split).reduce((sum, count) => sum + count, 0);
    return [
      `| ${name} total | ${before} | ${after} |`,
      ...arrows[name].map((arrow) => `| ${arrow} | - | ${transitions[arrow] ?? 0} |`),
      `| ${name}, ballots split between the two | - | ${divided} |`,
    ];
  });
  const title = summary.rule_based ? 'after filtering (votes by rules, not by a model)' : 'after filtering';
  return [`| category | before filtering | ${title} |`, '| --- | ---: | ---: |', ...rows, ''].join('\n');
}

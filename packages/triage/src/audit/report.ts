import { cohenKappa, type Interval, wilsonInterval } from '../agreement.js';
import { bringTogether, type Verdict } from './adjudicate.js';
import type { Review } from './answer-log.js';
import type { AuditFolder } from './folder.js';
import { type Answers, meets, type Question, type QuestionSet, relevant } from './question-set.js';

/** Counts of one question's answers by value, for one reviewer or after adjudication. */
export interface AnswerCounts {
  who: string;
  counts: Record<string, number>;
  /** Items without an answer: not reached yet, or the question does not apply. */
  unanswered: number;
}

export interface PairAgreement {
  reviewers: [string, string];
  /** Items that both answered. */
  items: number;
  agree: number;
  cohen_kappa: number | null;
  /** `table[i][j]`: items with the question's answer i by the first and j by the second. */
  table: number[][];
}

export interface QuestionReport {
  question: string;
  text: string;
  values: string[];
  /** Each reviewer, then `adjudicated`: Table 2 of ReDef. */
  rows: AnswerCounts[];
  agreement: PairAgreement[];
}

export interface Precision {
  title: string;
  /** Items with a final answer to the question. */
  of: number;
  count: number;
  value: number | null;
  /** Wilson, 95%. */
  interval: Interval | null;
}

export interface GroupRow {
  group: string;
  name: string;
  /** Items of the group with final answers. */
  samples: number;
  /** In the order of the set's columns. */
  counts: number[];
}

export interface AuditReport {
  schema: 'redef.audit-report/1';
  questions: string;
  items: number;
  /** Items with final answers: the ones that precision and the table by group count. */
  final: number;
  /** Items that some reviewer has not answered, and items that wait for the adjudicator. */
  waiting: number;
  disputed: number;
  reviewers: string[];
  by_question: QuestionReport[];
  precision?: Precision;
  precision_by_group?: (Precision & { group: string })[];
  by_group?: { title: string; group: string; columns: string[]; rows: GroupRow[]; total: GroupRow };
}

/** What an audit came to, as far as it has got. Pure: the same folder and answers give the same report. */
export function auditReport(
  { questions: set, items }: Pick<AuditFolder, 'questions' | 'items'>,
  { reviewers, adjudication }: { reviewers: readonly { name: string; review: Review }[]; adjudication: Review },
): AuditReport {
  const answersOf = ({ answers }: Review, item: string): Answers => relevant(set, answers.get(item) ?? {});
  const verdicts = new Map<string, Verdict>(
    items.map(({ id }) => [
      id,
      bringTogether(
        set,
        reviewers.map(({ review }) => review.answers.get(id) ?? {}),
        adjudication.answers.get(id) ?? {},
      ),
    ]),
  );
  const final = items.filter(({ id }) => verdicts.get(id)!.status === 'final');
  const finalAnswers = ({ id }: { id: string }) => verdicts.get(id)!.answers;

  const by_question = set.questions.map((question): QuestionReport => {
    const values = question.answers.map(({ value }) => value);
    const count = (who: string, answers: (item: { id: string }) => Answers): AnswerCounts => {
      const given = items.map((item) => answers(item)[question.id]);
      return {
        who,
        counts: Object.fromEntries(values.map((value) => [value, given.filter((one) => one === value).length])),
        unanswered: given.filter((one) => one === undefined).length,
      };
    };
    return {
      question: question.id,
      text: question.text,
      values,
      rows: [
        ...reviewers.map(({ name, review }) => count(name, ({ id }) => answersOf(review, id))),
        count('adjudicated', (item) => (verdicts.get(item.id)!.status === 'final' ? finalAnswers(item) : {})),
      ],
      agreement: reviewers.flatMap((first, index) =>
        reviewers.slice(index + 1).map((second) => pairAgreement(question, items, [first, second], answersOf)),
      ),
    };
  });

  const statuses = [...verdicts.values()].map(({ status }) => status);
  const report: AuditReport = {
    schema: 'redef.audit-report/1',
    questions: set.id,
    items: items.length,
    final: final.length,
    waiting: statuses.filter((status) => status === 'waiting').length,
    disputed: statuses.filter((status) => status === 'disputed').length,
    reviewers: reviewers.map(({ name }) => name),
    by_question,
  };
  const groups = [...new Set(items.map(({ group }) => group))].sort();
  const { precision, by_group } = set.report;
  if (precision) {
    const { question, value, title } = precision;
    report.precision = precisionOf(title, final.map(finalAnswers), question, value);
    report.precision_by_group = groups.map((group) => ({
      group,
      ...precisionOf(title, final.filter((item) => item.group === group).map(finalAnswers), question, value),
    }));
  }
  if (by_group) report.by_group = groupTable(by_group, groups, final, finalAnswers);
  return report;
}

function pairAgreement(
  question: Question,
  items: AuditFolder['items'],
  pair: [{ name: string; review: Review }, { name: string; review: Review }],
  answersOf: (review: Review, item: string) => Answers,
): PairAgreement {
  const values = question.answers.map(({ value }) => value);
  const table = values.map(() => values.map(() => 0));
  for (const { id } of items) {
    const [i, j] = pair.map(({ review }) => values.indexOf(answersOf(review, id)[question.id] ?? ''));
    if (i! >= 0 && j! >= 0) table[i!]![j!]!++;
  }
  return {
    reviewers: [pair[0].name, pair[1].name],
    items: table.flat().reduce((sum, count) => sum + count, 0),
    agree: table.reduce((sum, row, i) => sum + row[i]!, 0),
    cohen_kappa: cohenKappa(table),
    table,
  };
}

function precisionOf(title: string, answers: readonly Answers[], question: string, value: string): Precision {
  const given = answers.filter((one) => one[question] !== undefined);
  const count = given.filter((one) => one[question] === value).length;
  return {
    title,
    of: given.length,
    count,
    value: given.length === 0 ? null : count / given.length,
    interval: wilsonInterval(count, given.length),
  };
}

function groupTable(
  { title, group: groupTitle, names = {}, columns }: NonNullable<QuestionSet['report']['by_group']>,
  groups: readonly string[],
  final: AuditFolder['items'],
  finalAnswers: (item: { id: string }) => Answers,
): NonNullable<AuditReport['by_group']> {
  const named = Object.keys(names);
  const ordered = [...named, ...groups.filter((group) => !named.includes(group))];
  const row = (group: string, name: string, members: AuditFolder['items']): GroupRow => ({
    group,
    name,
    samples: members.length,
    counts: columns.map(({ where }) => members.filter((item) => meets(finalAnswers(item), where)).length),
  });
  return {
    title,
    group: groupTitle,
    columns: columns.map((column) => column.title),
    rows: ordered.map((group) =>
      row(
        group,
        names[group] ?? '',
        final.filter((item) => item.group === group),
      ),
    ),
    total: row('Total', '', final),
  };
}

/** The report as Markdown: Table 2 of ReDef, Table XV of R+R, agreement and precision. */
export function renderAuditReport(report: AuditReport): string {
  const lines: string[] = [`# Audit: ${report.questions}`, ''];
  if (report.reviewers.length === 0) lines.push('Nobody has answered yet.', '');
  if (report.final < report.items) {
    lines.push(
      `Not finished: ${report.final} of ${report.items} items have final answers, ${report.waiting} wait for a reviewer, ${report.disputed} for the adjudicator.`,
      '',
    );
  }
  for (const { text, values, rows, agreement } of report.by_question) {
    lines.push(
      `## ${text}`,
      '',
      ...table(
        ['', ...values, 'unanswered'],
        rows.map(({ who, counts, unanswered }) => [who, ...values.map((value) => counts[value]!), unanswered]),
      ),
    );
    for (const { reviewers, items, agree, cohen_kappa } of agreement) {
      lines.push(
        `${reviewers.join(' and ')} agree on ${agree} of ${items}; Cohen's kappa ${cohen_kappa === null ? 'is undefined' : cohen_kappa.toFixed(3)}.`,
        '',
      );
    }
  }
  if (report.precision) {
    lines.push(`## ${report.precision.title}`, '', `${spell(report.precision)}.`, '');
    if (report.precision_by_group && report.precision_by_group.length > 1) {
      lines.push(
        ...table(
          ['group', 'count', 'of', 'value', '95% interval'],
          report.precision_by_group.map(({ group, count, of, value, interval }) => [
            group,
            count,
            of,
            value === null ? '-' : value.toFixed(2),
            interval ? `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}` : '-',
          ]),
        ),
      );
    }
  }
  if (report.by_group) {
    const { title, group, columns, rows, total } = report.by_group;
    lines.push(
      `## ${title}`,
      '',
      ...table(
        [group, 'Name', 'Samples', ...columns],
        [...rows, total].map((row) => [row.group, row.name, row.samples, ...row.counts]),
      ),
    );
  }
  return lines.join('\n');
}

function spell({ value, count, of, interval }: Precision): string {
  if (value === null || interval === null) return 'No item has a final answer yet';
  const { low, high } = interval;
  return `${count} of ${of}: ${value.toFixed(2)}, 95% Wilson interval ${low.toFixed(2)} to ${high.toFixed(2)}`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replace(/[|\n]/g, ' ')).join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line), ''];
}

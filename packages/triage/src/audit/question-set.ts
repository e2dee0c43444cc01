import { RedefError } from '@redef/core';
import * as v from 'valibot';

const name = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9_-]*$/, 'expected lower-case letters, digits, - and _'),
  v.check((text) => !(text in {}), 'expected another name: JavaScript gives every object a member of this one'),
);
/** A question's value, or any of several. */
const condition = v.record(name, v.union([v.string(), v.array(v.string())]));

const questionSetSchema = v.object({
  schema: v.literal('redef.questions/1'),
  /** Name and version: `redef-labels/1`. */
  id: v.pipe(v.string(), v.minLength(1)),
  title: v.string(),
  /** Shown above every item. */
  instructions: v.string(),
  /** Asked of each item in this order. */
  questions: v.pipe(
    v.array(
      v.object({
        id: name,
        text: v.string(),
        answers: v.pipe(
          v.array(
            v.object({
              value: name,
              label: v.string(),
              /** The one key that gives this answer. */
              key: v.pipe(v.string(), v.regex(/^[a-z0-9]$/, 'expected one lower-case letter or digit')),
            }),
          ),
          v.minLength(2),
        ),
        /** Asked only where these earlier questions were answered so. */
        only_if: v.optional(condition),
      }),
    ),
    v.minLength(1),
  ),
  report: v.object({
    /** The share of items whose question has this value, with its interval. */
    precision: v.optional(v.object({ question: name, value: name, title: v.string() })),
    /** Counts of items by group that meet each column's conditions. */
    by_group: v.optional(
      v.object({
        title: v.string(),
        group: v.string(),
        /** What to call a group, in the order of the rows; further groups follow by name. */
        names: v.optional(v.record(v.string(), v.string())),
        columns: v.array(v.object({ title: v.string(), where: condition })),
      }),
    ),
  }),
});

/** What reviewers are asked of every item, with which keys, and what the report makes of the answers. */
export type QuestionSet = v.InferOutput<typeof questionSetSchema>;
export type Question = QuestionSet['questions'][number];
/** Answers of one reviewer to one item, by question. */
export type Answers = Readonly<Record<string, string>>;

/** ReDef, section 5, RQ1: is the label right? */
export const labelQuestions: QuestionSet = {
  schema: 'redef.questions/1',
  id: 'redef-labels/1',
  title: 'Are the labels right?',
  instructions:
    'Judge by the evidence shown, not by what you know of the project. Correct needs an explicit link to a defect; a revert that only names a hash is Ambiguous.',
  questions: [
    {
      id: 'label',
      text: 'Does the evidence support the label?',
      answers: [
        { value: 'correct', label: 'Correct', key: 'c' },
        { value: 'ambiguous', label: 'Ambiguous', key: 'a' },
        { value: 'wrong', label: 'Wrong', key: 'w' },
      ],
    },
  ],
  report: { precision: { question: 'label', value: 'correct', title: 'Label precision' } },
};

/** R+R, sections 3.6 and 4.4: is a vulnerability sample accurate, complete, verifiable at all? */
export const vulnerabilityQuestions: QuestionSet = {
  schema: 'redef.questions/1',
  id: 'rr-vulnerability-samples/1',
  title: 'Are the vulnerability samples accurate and complete?',
  instructions:
    'Judge at the level of the function. Read what the CVE says, then look for the vulnerability in the code before and for its repair in the code after.',
  questions: [
    {
      id: 'verifiable',
      text: 'Is the sample verifiable: do the vulnerable and the repaired code hold enough to examine it at all?',
      answers: [
        { value: 'yes', label: 'Yes, both', key: 'y' },
        { value: 'vulnerable-lacks', label: 'No, the vulnerable code lacks it', key: 'v' },
        { value: 'repaired-lacks', label: 'No, the repaired code lacks it', key: 'r' },
        { value: 'neither', label: 'No, neither holds enough', key: 'n' },
      ],
    },
    {
      id: 'accurate',
      text: 'Is the CWE label accurate: does the vulnerable code clearly contain this weakness?',
      answers: [
        { value: 'yes', label: 'Accurate', key: 'y' },
        { value: 'no', label: 'Not accurate', key: 'n' },
      ],
      only_if: { verifiable: 'yes' },
    },
    {
      id: 'complete',
      text: 'Is the sample complete: does it hold all that shows the vulnerability and its correct repair?',
      answers: [
        { value: 'yes', label: 'Complete', key: 'y' },
        { value: 'no', label: 'Not complete', key: 'n' },
      ],
      only_if: { verifiable: 'yes' },
    },
  ],
  report: {
    by_group: {
      title: 'Data quality by CWE',
      group: 'CWE type',
      names: {
        'CWE-787': 'Out-of-bounds Write',
        'CWE-79': 'Cross-site Scripting',
        'CWE-78': 'OS Command Injection',
        'CWE-89': 'SQL Injection',
        'CWE-416': 'Use After Free',
        'CWE-22': 'Path Traversal',
        'CWE-352': 'Cross-Site Request Forgery',
        'CWE-434': 'Dangerous File Type',
      },
      columns: [
        { title: 'Accurate', where: { accurate: 'yes' } },
        { title: 'Complete', where: { complete: 'yes' } },
        { title: 'Accurate & Complete', where: { accurate: 'yes', complete: 'yes' } },
        { title: 'Unverifiable', where: { verifiable: ['vulnerable-lacks', 'repaired-lacks', 'neither'] } },
      ],
    },
  },
};

/** The sets that ship with this package, by the name the command line knows. */
export const questionSets: Readonly<Record<string, QuestionSet>> = {
  labels: labelQuestions,
  vulnerabilities: vulnerabilityQuestions,
};

/**
 * Checks a question set read from a file.
 *
 * @throws `RedefError` `invalid-questions` with the place and what was expected
 */
export function parseQuestionSet(value: unknown, where: string): QuestionSet {
  const result = v.safeParse(questionSetSchema, value);
  if (!result.success) {
    const [issue] = result.issues;
    throw invalid(`${where}: ${v.getDotPath(issue) ?? 'set'}: ${issue.message}`);
  }
  const set = result.output;
  const known = new Map<string, Question>();
  const check = (members: Record<string, string | string[]>, place: string) => {
    for (const [question, values] of Object.entries(members)) {
      const answers = known.get(question)?.answers.map((answer) => answer.value);
      if (!answers) throw invalid(`${where}: ${place} names the question "${question}", which is not asked before it`);
      const odd = [values].flat().find((one) => !answers.includes(one));
      if (odd !== undefined) throw invalid(`${where}: ${place} names the answer "${odd}", which "${question}" lacks`);
    }
  };
  for (const question of set.questions) {
    if (known.has(question.id)) throw invalid(`${where}: two questions have the id "${question.id}"`);
    if (question.only_if) check(question.only_if, `only_if of "${question.id}"`);
    known.set(question.id, question);
    for (const member of ['key', 'value'] as const) {
      const used = question.answers.map((answer) => answer[member]);
      if (new Set(used).size < used.length)
        throw invalid(`${where}: two answers to "${question.id}" share a ${member}`);
    }
    const taken = question.answers.find(({ key }) => reservedKeys.includes(key));
    if (taken) throw invalid(`${where}: the key "${taken.key}" of "${question.id}" is the page's own`);
  }
  const { precision, by_group } = set.report;
  if (precision) check({ [precision.question]: precision.value }, 'report.precision');
  for (const { title, where: conditions } of by_group?.columns ?? []) check(conditions, `the column "${title}"`);
  return set;
}

/** Undo, note, forward and back. */
const reservedKeys = ['u', 'm', 'j', 'k'];

export function meets(answers: Answers, where: Record<string, string | string[]>): boolean {
  return Object.entries(where).every(([question, values]) => {
    const given = answers[question];
    return given !== undefined && [values].flat().includes(given);
  });
}

/** The questions that these answers leave to be asked, in order: the ones whose condition holds. */
export function applicable(set: QuestionSet, answers: Answers): Question[] {
  return set.questions.filter(({ only_if }) => !only_if || meets(answers, only_if));
}

/** Answers to questions that are not (or no longer) asked are left out. */
export function relevant(set: QuestionSet, answers: Answers): Answers {
  const kept: Record<string, string> = {};
  for (const question of set.questions) {
    const given = answers[question.id];
    if (given !== undefined && (!question.only_if || meets(kept, question.only_if))) kept[question.id] = given;
  }
  return kept;
}

export function isComplete(set: QuestionSet, answers: Answers): boolean {
  const kept = relevant(set, answers);
  return applicable(set, kept).every(({ id }) => kept[id] !== undefined);
}

function invalid(message: string): RedefError {
  return new RedefError(message, {
    code: 'invalid-questions',
    remedy: 'Correct the question set; the README shows the form of one.',
  });
}

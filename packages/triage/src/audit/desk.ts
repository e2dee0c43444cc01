import { RedefError } from '@redef/core';
import { bringTogether } from './adjudicate.js';
import type { AnswerLog, AuditEntry } from './answer-log.js';
import type { AuditFolder } from './folder.js';
import { type Answers, applicable, type Question, relevant } from './question-set.js';
import { type Row, sideBySide } from './side-by-side.js';

/** What one page shows of an item in its list. */
export interface DeskItem {
  id: string;
  /** The questions that are asked of it, in order. */
  questions: Question[];
  /** Those without an answer. */
  open: string[];
  answers: Answers;
  /** For the adjudicator: what the reviewers said. */
  others?: { who: string; answers: string; note?: string }[];
}

export interface DeskState {
  who: string;
  title: string;
  instructions: string;
  items: DeskItem[];
  /** Items that the adjudicator may have to decide later. */
  waiting: number;
}

export interface DeskItemDetail {
  id: string;
  title: string;
  claim: string;
  texts: { title: string; text: string }[];
  before: { title: string };
  after: { title: string };
  rows: Row[];
  note?: string;
}

/** One reviewer's place at an audit, or the adjudicator's: what is on it and what may be done. */
export class Desk {
  constructor(
    readonly who: string,
    private readonly audit: AuditFolder,
    private readonly log: AnswerLog,
    /** The reviewers whose answers the adjudicator brings together; `undefined` at a reviewer's desk, which sees nobody else's. */
    private readonly reviewers: readonly { who: string; log: AnswerLog }[] | undefined,
    private readonly now: (() => string) | undefined,
  ) {}

  get state(): DeskState {
    const { questions: set, items } = this.audit;
    const own = this.log.review;
    const state = { who: this.who, title: set.title, instructions: set.instructions };
    if (!this.reviewers) {
      return {
        ...state,
        waiting: 0,
        items: items.map(({ id }) => {
          const answers = relevant(set, own.answers.get(id) ?? {});
          const questions = applicable(set, answers);
          return { id, questions, answers, open: openOf(questions, answers) };
        }),
      };
    }
    const reviews = this.reviewers.map(({ who, log }) => ({ who, review: log.review }));
    let waiting = 0;
    const disputed: DeskItem[] = [];
    for (const { id } of items) {
      const given = reviews.map(({ review }) => review.answers.get(id) ?? {});
      const adjudication = own.answers.get(id) ?? {};
      const verdict = bringTogether(set, given, adjudication);
      if (verdict.status === 'waiting') waiting++;
      if (verdict.disputes.length === 0) continue;
      disputed.push({
        id,
        questions: verdict.disputes,
        answers: adjudication,
        open: openOf(verdict.disputes, adjudication),
        others: reviews.map(({ who, review }, index) => {
          const note = review.notes.get(id);
          return { who, answers: this.#spell(given[index]!), ...(note && { note }) };
        }),
      });
    }
    return { ...state, waiting, items: disputed };
  }

  detail(id: string): DeskItemDetail {
    const item = this.audit.items.find((one) => one.id === id);
    if (!item) throw refused(`there is no item ${id}`);
    const note = this.log.review.notes.get(id);
    return {
      id,
      title: item.title,
      claim: item.claim,
      texts: item.texts,
      before: { title: item.before.title },
      after: { title: item.after.title },
      rows: sideBySide(item.before.text, item.after.text),
      ...(note !== undefined && { note }),
    };
  }

  /** Resolves once the answer is on the disk. */
  async answer(id: string, question: string, value: string): Promise<void> {
    const item = this.state.items.find((one) => one.id === id);
    const answers = item?.questions.find((one) => one.id === question)?.answers;
    if (!answers) throw refused(`the question ${question} is not asked of the item ${id}`);
    if (!answers.some((one) => one.value === value)) throw refused(`${question} has no answer ${value}`);
    await this.#add({ schema: 'redef.audit-entry/1', kind: 'answer', item: id, question, value });
  }

  async note(id: string, text: string): Promise<void> {
    if (!this.audit.items.some((one) => one.id === id)) throw refused(`there is no item ${id}`);
    await this.#add({ schema: 'redef.audit-entry/1', kind: 'note', item: id, text: text.slice(0, 10_000) });
  }

  /** Takes back the last act and gives the item it was on; `undefined` where nothing stands. */
  async undo(): Promise<string | undefined> {
    const { last } = this.log.review;
    if (last !== undefined) await this.#add({ schema: 'redef.audit-entry/1', kind: 'undo' });
    return last;
  }

  #add(entry: AuditEntry): Promise<void> {
    return this.log.add(this.now ? { ...entry, at: this.now() } : entry);
  }

  #spell(answers: Answers): string {
    const { questions } = this.audit.questions;
    return questions
      .flatMap(({ id, answers: all }) => all.filter(({ value }) => answers[id] === value).map(({ label }) => label))
      .join(', ');
  }
}

const openOf = (questions: readonly Question[], answers: Answers) =>
  questions.filter(({ id }) => answers[id] === undefined).map(({ id }) => id);

function refused(message: string): RedefError {
  return new RedefError(`The audit page asked for something that is not there: ${message}`, {
    code: 'audit-refused',
    remedy: 'Load the page again.',
    disposition: 'skip',
  });
}

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChangeEvidence, type CodeChange, type Label, RedefError, UniqueIds } from '@redef/core';
import { digestFile, fileError, readJsonlLines, writeFileAtomic, writeJsonl, writeManifest } from '@redef/core/files';
import { version } from '../version.js';
import { type Review, readEntries, replay } from './answer-log.js';
import { type AuditItem, labelItem, parseAuditItem } from './item.js';
import { labelQuestions, parseQuestionSet, type QuestionSet } from './question-set.js';
import { drawSample, type Stratum } from './sample.js';

// An audit is a folder: items.jsonl and questions.json, which nothing changes once they are drawn, manifest.json with
// the seed and the strata, and under answers/ what each reviewer did.

export interface AuditFolder {
  folder: string;
  questions: QuestionSet;
  items: AuditItem[];
}

export interface CreateAuditOptions {
  questions: QuestionSet;
  /** Default: every item. */
  size?: number;
  seed: number | string;
  /** Default: the item's group. */
  stratify?: (item: AuditItem) => string;
  /** Digests of what the items came from, for the manifest. */
  inputs?: Record<string, string>;
  /** Further options in force, for the manifest. */
  config?: Record<string, unknown>;
}

/**
 * Draws a sample and writes the audit's folder. Reads the items twice and keeps the ids alone in between.
 *
 * @returns the strata
 * @throws `RedefError` `audit-exists` where the folder holds an audit already: answers must never lose their items
 */
export async function createAudit(
  folder: string,
  items: () => AsyncIterable<AuditItem> | Iterable<AuditItem>,
  { questions, size, seed, stratify = ({ group }) => group, inputs = {}, config = {} }: CreateAuditOptions,
): Promise<Stratum[]> {
  await refuseExisting(folder);
  const population: { id: string; stratum: string }[] = [];
  const seen = new Set<string>();
  for await (const item of items()) {
    if (seen.has(item.id)) {
      throw new RedefError(`Two audit items have the id ${item.id}`, {
        code: 'duplicate-id',
        remedy: 'Give each item its own id.',
      });
    }
    seen.add(item.id);
    population.push({ id: item.id, stratum: stratify(item) });
  }
  const { ids, strata } = drawSample(population, { size: size ?? population.length, seed });
  const chosen: AuditItem[] = [];
  for await (const item of items()) if (ids.has(item.id)) chosen.push(item);
  chosen.sort((a, b) => (a.id < b.id ? -1 : 1)); // ids are digests: an order that groups nothing

  const files = { items: join(folder, 'items.jsonl'), questions: join(folder, 'questions.json') };
  await writeJsonl(files.items, chosen);
  await writeFileAtomic(files.questions, `${JSON.stringify(questions, null, 2)}\n`);
  await writeManifest(folder, {
    schema: 'redef.manifest/1',
    stage: 'audit-sample',
    versions: { '@redef/triage': version },
    config: { ...config, questions: questions.id, size: ids.size },
    seed,
    inputs,
    outputs: { 'items.jsonl': await digestFile(files.items), 'questions.json': await digestFile(files.questions) },
    counts: { in: population.length, kept: ids.size, dropped: { 'not-sampled': population.length - ids.size } },
    details: { strata },
  });
  return strata;
}

export interface LabelAuditOptions extends Omit<CreateAuditOptions, 'questions' | 'stratify'> {
  labels: AsyncIterable<Label> | Iterable<Label>;
  /** Streamed twice. */
  changes: () => AsyncIterable<CodeChange> | Iterable<CodeChange>;
  evidence: () => AsyncIterable<ChangeEvidence> | Iterable<ChangeEvidence>;
  /** Default `defective`, the paper's. */
  label?: Label['label'] | 'both';
  /** Default `project`. */
  stratifyBy?: 'project' | 'transition' | 'project-and-transition';
  /** Default {@link labelQuestions}. */
  questions?: QuestionSet;
}

/**
 * {@link createAudit} over labelled changes (ReDef, section 5, RQ1: 100 defective ones). Labels and evidence are held
 * in memory, changes are streamed.
 *
 * @throws `RedefError` `duplicate-id` where two labels, or two changes, have one
 */
export async function createLabelAudit(folder: string, options: LabelAuditOptions): Promise<Stratum[]> {
  const { label: wanted = 'defective', stratifyBy = 'project', questions = labelQuestions, config = {} } = options;
  const labels = new Map<string, Label>();
  const ids = new UniqueIds((place) => `label ${place}`);
  let place = 0;
  for await (const label of options.labels) {
    ids.add(label.id, ++place);
    if (wanted === 'both' || label.label === wanted) labels.set(label.id, label);
  }
  const evidence = new Map<string, ChangeEvidence>();
  for await (const row of options.evidence()) if (labels.has(row.id)) evidence.set(row.id, row);

  async function* items(): AsyncGenerator<AuditItem> {
    for await (const change of options.changes()) {
      const label = labels.get(change.id);
      const history = evidence.get(change.id);
      if (label && history) yield labelItem(change, history, label);
    }
  }
  const strata = {
    project: ({ group }: AuditItem) => group,
    transition: ({ id }: AuditItem) => labels.get(id)?.transition ?? 'tied',
    'project-and-transition': ({ id, group }: AuditItem) => `${group} ${labels.get(id)?.transition ?? 'tied'}`,
  };
  return createAudit(folder, items, {
    ...options,
    questions,
    stratify: strata[stratifyBy],
    config: { ...config, label: wanted, stratify_by: stratifyBy },
  });
}

/** @throws `RedefError` `not-an-audit`, `invalid-questions`, `invalid-audit-item` */
export async function readAudit(folder: string): Promise<AuditFolder> {
  const path = join(folder, 'questions.json');
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new RedefError(`${folder}: not the folder of an audit`, {
      code: 'not-an-audit',
      remedy: 'Draw one with redef audit sample, and name the folder it wrote.',
      cause,
    });
  }
  const questions = parseQuestionSet(value, path);
  const items: AuditItem[] = [];
  const itemsPath = join(folder, 'items.jsonl');
  for await (const { line, value: row } of readJsonlLines(itemsPath)) {
    items.push(parseAuditItem(row, `${itemsPath}:${line}`));
  }
  return { folder, questions, items };
}

export const adjudicator = 'adjudicator';

/** A reviewer's file. @throws `RedefError` `invalid-reviewer` */
export function answersPath(folder: string, reviewer: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(reviewer)) {
    throw new RedefError(`"${reviewer}" cannot name a reviewer`, {
      code: 'invalid-reviewer',
      remedy: 'Use lower-case letters, digits, dots, - and _.',
    });
  }
  return join(folder, 'answers', `${reviewer}.jsonl`);
}

/** What everyone did so far: the reviewers in code-unit order of their names, and the adjudicator. */
export async function readReviews(
  folder: string,
): Promise<{ reviewers: { name: string; review: Review }[]; adjudication: Review }> {
  let names: string[] = [];
  try {
    names = (await readdir(join(folder, 'answers'))).filter((name) => name.endsWith('.jsonl')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError(error, folder);
  }
  const reviewers: { name: string; review: Review }[] = [];
  let adjudication = replay([]);
  for (const file of names) {
    const name = file.slice(0, -'.jsonl'.length);
    const review = replay((await readEntries(answersPath(folder, name))).entries);
    if (name === adjudicator) adjudication = review;
    else reviewers.push({ name, review });
  }
  return { reviewers, adjudication };
}

async function refuseExisting(folder: string): Promise<void> {
  // the manifest is written last: without it a draw was stopped half-way, and nobody can have answered
  if (!(await exists(join(folder, 'manifest.json'))) && !(await exists(join(folder, 'answers')))) return;
  throw new RedefError(`${folder}: holds an audit already`, {
    code: 'audit-exists',
    remedy: 'Name another folder, or remove this one with the answers in it.',
  });
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Label } from '@redef/core';
import { readManifest } from '@redef/core/files';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeChange, revertEvidence } from '../../test/candidates.js';
import { bringTogether } from './adjudicate.js';
import { AnswerLog, type AuditEntry, type Review, readEntries, replay } from './answer-log.js';
import { answersPath, createAudit, createLabelAudit, readAudit, readReviews } from './folder.js';
import { type AuditItem, vulnerabilityItem } from './item.js';
import { labelQuestions, parseQuestionSet, questionSets, vulnerabilityQuestions } from './question-set.js';
import { auditReport, renderAuditReport } from './report.js';
import { drawSample } from './sample.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-audit-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the sample', () => {
  const population = (sizes: Record<string, number>) =>
    Object.entries(sizes).flatMap(([stratum, size]) =>
      Array.from({ length: size }, (_, index) => ({ id: `${stratum}-${index}`, stratum })),
    );

  test('gives every stratum its share and does not depend on the order', () => {
    const all = population({ linux: 700, ffmpeg: 250, redis: 50 });
    const sample = drawSample(all, { size: 100, seed: 12345 });
    expect(sample.strata).toEqual([
      { name: 'ffmpeg', population: 250, sampled: 25 },
      { name: 'linux', population: 700, sampled: 70 },
      { name: 'redis', population: 50, sampled: 5 },
    ]);
    expect([...drawSample(all.toReversed(), { size: 100, seed: 12345 }).ids].sort()).toEqual([...sample.ids].sort());
    expect([...drawSample(all, { size: 100, seed: 12346 }).ids].sort()).not.toEqual([...sample.ids].sort());
  });

  test('has the size asked for, shares within one of proportional, and members of the population', () => {
    const sizes = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 40 }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(sizes, fc.nat(), fc.integer(), (strata, pick, seed) => {
        const all = population(strata);
        const size = 1 + (pick % all.length);
        const sample = drawSample(all, { size, seed });
        expect(sample.ids.size).toBe(size);
        const known = new Set(all.map(({ id }) => id));
        expect([...sample.ids].every((id) => known.has(id))).toBe(true);
        for (const { population: count, sampled } of sample.strata) {
          expect(Math.abs(sampled - (count * size) / all.length)).toBeLessThan(1);
          expect(sampled).toBeLessThanOrEqual(count);
        }
      }),
    );
  });

  test('draws every member equally often', () => {
    const all = population({ a: 5, b: 5 });
    const drawn = new Map<string, number>();
    for (let seed = 0; seed < 2000; seed++) {
      for (const id of drawSample(all, { size: 4, seed }).ids) drawn.set(id, (drawn.get(id) ?? 0) + 1);
    }
    // 800 expected each; the standard deviation is about 22
    for (const count of drawn.values()) expect(Math.abs(count - 800)).toBeLessThan(110);
  });

  test('is not larger than what there is', () => {
    expect(() => drawSample(population({ a: 3 }), { size: 4, seed: 1 })).toThrow(/out of 3/);
    expect(() => drawSample([], { size: 1, seed: 1 })).toThrow(/out of 0/);
  });
});

test('a label audit is drawn from defective labels, with its strata and digests in the manifest', async () => {
  const changes = Array.from({ length: 60 }, (_, index) => makeChange(index));
  const labels = changes.map(
    ({ id }, index): Label => ({
      schema: 'redef.label/1',
      id,
      label: index % 2 ? 'clean' : 'defective',
      transition: index % 2 ? 'clean->clean' : 'clean->defective',
      agreed: true,
      decided_by: 'unanimous-ab/3 by rules/1',
      rule_based: true,
    }),
  );
  const draw = (into: string, order: typeof changes) =>
    createLabelAudit(into, {
      labels,
      changes: () => order,
      evidence: () => changes.map((change) => revertEvidence(change)),
      size: 10,
      seed: 5,
      inputs: { 'changes.jsonl': 'd'.repeat(64) },
    });
  const twice = { labels: [...labels, labels[1]!], changes: () => changes, evidence: () => [], seed: 5 };
  await expect(createLabelAudit(join(folder, 'twice'), twice)).rejects.toMatchObject({ code: 'duplicate-id' });
  const strata = await draw(folder, changes);
  expect(strata.map(({ population, sampled }) => [population, sampled])).toEqual([
    [10, 4],
    [10, 3],
    [10, 3],
  ]);
  const { items, questions } = await readAudit(folder);
  expect(questions).toEqual(labelQuestions);
  expect(items).toHaveLength(10);
  expect(items.every(({ claim }) => claim === 'defective (clean->defective)')).toBe(true);
  expect(await readManifest(folder)).toMatchObject({
    stage: 'audit-sample',
    seed: 5,
    inputs: { 'changes.jsonl': 'd'.repeat(64) },
    counts: { in: 30, kept: 10, dropped: { 'not-sampled': 20 } },
    details: { strata },
  });

  await draw(join(folder, 'again'), changes.toReversed());
  expect(await readFile(join(folder, 'again/items.jsonl'), 'utf8')).toBe(
    await readFile(join(folder, 'items.jsonl'), 'utf8'),
  );
  await expect(draw(folder, changes)).rejects.toMatchObject({ code: 'audit-exists' });
  await rm(join(folder, 'manifest.json')); // as a kill in the middle of the draw leaves it
  await draw(folder, changes);
  expect(await readFile(join(folder, 'again/items.jsonl'), 'utf8')).toBe(
    await readFile(join(folder, 'items.jsonl'), 'utf8'),
  );
});

describe('the answers', () => {
  const answer = (item: string, value: string): AuditEntry => ({
    schema: 'redef.audit-entry/1',
    kind: 'answer',
    item,
    question: 'label',
    value,
  });
  const undo: AuditEntry = { schema: 'redef.audit-entry/1', kind: 'undo' };

  test('are the acts that stand: an undo brings back what was there before', () => {
    const { answers, last } = replay([
      answer('a', 'correct'),
      answer('a', 'wrong'),
      answer('b', 'correct'),
      undo,
      undo,
    ]);
    expect(Object.fromEntries(answers)).toEqual({ a: { label: 'correct' } });
    expect(last).toBe('a');
    expect(replay([undo, undo, answer('a', 'wrong'), undo]).answers.size).toBe(0);
  });

  test('survive a cut at any byte, all but the last', async () => {
    const path = answersPath(folder, 'ada');
    const log = await AnswerLog.open(path);
    await Promise.all(
      [answer('a', 'correct'), answer('b', 'größer'), answer('c', 'wrong')].map((entry) => log.add(entry)),
    );
    await log.close();
    const whole = await readFile(path);
    const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    for (let cut = lastLine; cut < whole.length; cut++) {
      await writeFile(path, whole.subarray(0, cut));
      const again = await AnswerLog.open(path);
      expect(again.review.answers.size).toBe(2);
      await again.add(answer('c', 'wrong'));
      await again.close();
      expect(await readFile(path)).toEqual(whole);
    }
  });

  test('name a damaged line', async () => {
    const path = answersPath(folder, 'ada');
    const log = await AnswerLog.open(path);
    await log.add(answer('a', 'correct'));
    await log.close();
    await appendFile(path, '{"kind":"answer"}\n');
    await expect(readEntries(path)).rejects.toMatchObject({
      code: 'review-damaged',
      message: expect.stringContaining(':2:'),
    });
  });
});

/** A review that gives each item its answers. */
const review = (answers: Record<string, Record<string, string>>): Review => ({
  answers: new Map(Object.entries(answers)),
  notes: new Map(),
  last: undefined,
});

const item = (id: string, group = 'g'): AuditItem => ({
  schema: 'redef.audit-item/1',
  id,
  group,
  title: id,
  claim: '',
  texts: [],
  before: { title: '', text: '' },
  after: { title: '', text: '' },
});

test("the paper's audit gives Table 2, kappa and 0.92 with 0.85 to 0.96", async () => {
  // Reviewer 1: 94/5/1, Reviewer 2: 83/14/3, adjudicated: 92/5/3. The paper gives the margins alone; any joint table
  // with them shows the same rows.
  const spread = (correct: number, ambiguous: number) => (index: number) =>
    index < correct ? 'correct' : index < correct + ambiguous ? 'ambiguous' : 'wrong';
  const ids = Array.from({ length: 100 }, (_, index) => `i${String(index).padStart(3, '0')}`);
  const by = (of: (index: number) => string) =>
    review(Object.fromEntries(ids.map((id, index) => [id, { label: of(index) }])));
  const first = spread(94, 5);
  const second = spread(83, 14);
  const adjudicated = (index: number) =>
    first(index) === second(index) ? first(index) : index < 92 ? 'correct' : index < 97 ? 'ambiguous' : 'wrong';
  const report = auditReport(
    { questions: labelQuestions, items: ids.map((id, index) => item(id, `p${index % 2}`)) },
    {
      reviewers: [
        { name: 'reviewer-1', review: by(first) },
        { name: 'reviewer-2', review: by(second) },
      ],
      adjudication: by(adjudicated),
    },
  );
  const [question] = report.by_question;
  expect(question?.rows.map(({ counts }) => Object.values(counts))).toEqual([
    [94, 5, 1],
    [83, 14, 3],
    [92, 5, 3],
  ]);
  expect(question?.agreement[0]).toMatchObject({ items: 100, agree: 87 });
  expect(report.precision).toMatchObject({ count: 92, of: 100, value: 0.92 });
  const text = renderAuditReport(report);
  expect(text).toContain('| reviewer-1 | 94 | 5 | 1 | 0 |');
  expect(text).toContain('| adjudicated | 92 | 5 | 3 | 0 |');
  expect(text).toContain('92 of 100: 0.92, 95% Wilson interval 0.85 to 0.96.');
  expect(text).toMatch(/agree on 87 of 100; Cohen's kappa 0\.\d{3}\./);
});

test("R+R's Table XV comes out of its question set", () => {
  // samples, accurate, complete, both
  const tableXv: Record<string, [number, number, number, number]> = {
    'CWE-787': [33, 15, 18, 12],
    'CWE-79': [0, 0, 0, 0],
    'CWE-78': [1, 0, 0, 0],
    'CWE-89': [1, 1, 1, 1],
    'CWE-416': [29, 11, 18, 7],
    'CWE-22': [2, 1, 0, 0],
    'CWE-352': [2, 2, 1, 1],
  };
  const items: AuditItem[] = [];
  const answers: Record<string, Record<string, string>> = {};
  for (const [cwe, [samples, accurate, complete, both]] of Object.entries(tableXv)) {
    for (let index = 0; index < samples; index++) {
      const id = `${cwe}-${index}`;
      items.push(vulnerabilityItem({ id, cwe, cve: 'CVE-2020-1', cve_text: '', vulnerable: 'a', repaired: 'b' }));
      const isAccurate = index < accurate;
      const isComplete = index < both || (index >= accurate && index < accurate + complete - both);
      answers[id] =
        isAccurate || isComplete
          ? { verifiable: 'yes', accurate: isAccurate ? 'yes' : 'no', complete: isComplete ? 'yes' : 'no' }
          : { verifiable: 'vulnerable-lacks' };
    }
  }
  const both = [
    { name: 'one', review: review(answers) },
    { name: 'two', review: review(answers) },
  ];
  const { by_group } = auditReport(
    { questions: vulnerabilityQuestions, items },
    { reviewers: both, adjudication: review({}) },
  );
  expect(by_group?.columns).toEqual(['Accurate', 'Complete', 'Accurate & Complete', 'Unverifiable']);
  expect(by_group?.rows.map(({ group, samples, counts }) => [group, samples, ...counts.slice(0, 3)])).toEqual([
    ...Object.entries(tableXv).map(([cwe, counts]) => [cwe, ...counts]),
    ['CWE-434', 0, 0, 0, 0],
  ]);
  expect([by_group?.total.samples, ...by_group!.total.counts.slice(0, 3)]).toEqual([68, 30, 38, 21]);
});

test('an unfinished audit says what is open', () => {
  const items = ['a', 'b', 'c'].map((id) => item(id));
  const report = auditReport(
    { questions: labelQuestions, items },
    {
      reviewers: [
        { name: 'ada', review: review({ a: { label: 'correct' }, b: { label: 'correct' } }) },
        { name: 'grace', review: review({ a: { label: 'correct' }, b: { label: 'wrong' } }) },
      ],
      adjudication: review({}),
    },
  );
  expect(report).toMatchObject({ items: 3, final: 1, waiting: 1, disputed: 1, precision: { count: 1, of: 1 } });
  expect(renderAuditReport(report)).toContain('Not finished: 1 of 3 items');
  const empty = auditReport({ questions: labelQuestions, items }, { reviewers: [], adjudication: review({}) });
  expect(renderAuditReport(empty)).toContain('Nobody has answered yet.');
});

test('a question that applies only by the decision is left to the adjudicator', () => {
  const reviews = [{ verifiable: 'yes', accurate: 'yes', complete: 'yes' }, { verifiable: 'neither' }];
  const status = (decided: Record<string, string>) => {
    const { status, disputes } = bringTogether(vulnerabilityQuestions, reviews, decided);
    return [status, ...disputes.map(({ id }) => id)];
  };
  expect(status({})).toEqual(['disputed', 'verifiable']);
  expect(status({ verifiable: 'neither' })).toEqual(['final', 'verifiable']);
  expect(status({ verifiable: 'yes' })).toEqual(['disputed', 'verifiable', 'accurate', 'complete']);
  expect(status({ verifiable: 'yes', accurate: 'no', complete: 'no' })).toEqual([
    'final',
    'verifiable',
    'accurate',
    'complete',
  ]);
});

describe('a question set from a file', () => {
  test('the ones that ship are valid', () => {
    for (const [name, set] of Object.entries(questionSets))
      expect(parseQuestionSet(JSON.parse(JSON.stringify(set)), name)).toEqual(set);
  });

  test('is refused with the reason', () => {
    const broken = (change: (set: typeof vulnerabilityQuestions) => unknown) => {
      const set = structuredClone(vulnerabilityQuestions);
      change(set);
      return () => parseQuestionSet(set, 'q.json');
    };
    expect(() => parseQuestionSet({}, 'q.json')).toThrow(/q\.json: schema/);
    expect(broken((set) => Object.assign(set.questions[0]!, { id: 'constructor' }))).toThrow(/another name/);
    expect(broken((set) => Object.assign(set.questions[1]!, { id: 'verifiable' }))).toThrow(/two questions/);
    expect(broken((set) => Object.assign(set.questions[0]!.answers[1]!, { key: 'y' }))).toThrow(/share a key/);
    expect(broken((set) => Object.assign(set.questions[0]!.answers[1]!, { key: 'u' }))).toThrow(/the page's own/);
    expect(broken((set) => Object.assign(set.questions[1]!, { only_if: { complete: 'yes' } }))).toThrow(
      /not asked before/,
    );
    expect(
      broken((set) => Object.assign(set.report, { precision: { question: 'accurate', value: 'maybe', title: '' } })),
    ).toThrow(/lacks/);
  });
});

test('the same answers read from the folder give the same report', async () => {
  const items = ['a', 'b'].map((id) => item(id));
  await createAudit(folder, () => items, { questions: labelQuestions, seed: 1 });
  for (const who of ['grace', 'ada']) {
    const log = await AnswerLog.open(answersPath(folder, who));
    for (const { id } of items) {
      await log.add({ schema: 'redef.audit-entry/1', kind: 'answer', item: id, question: 'label', value: 'correct' });
    }
    await log.close();
  }
  const report = auditReport(await readAudit(folder), await readReviews(folder));
  expect(report).toMatchObject({ reviewers: ['ada', 'grace'], final: 2, precision: { count: 2, of: 2 } });
});

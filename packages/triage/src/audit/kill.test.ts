import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundle } from '../../../../scripts/bundle.js';
import { createAudit, readReviews } from './folder.js';
import type { AuditItem } from './item.js';
import { labelQuestions } from './question-set.js';

const items = Array.from(
  { length: 2000 },
  (_, index): AuditItem => ({
    schema: 'redef.audit-item/1',
    id: `item-${String(index).padStart(4, '0')}`,
    group: 'g',
    title: 't',
    claim: 'defective',
    texts: [],
    before: { title: 'before', text: 'a' },
    after: { title: 'after', text: 'b' },
  }),
);
const values = ['correct', 'ambiguous', 'wrong'];
const kills = 10;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-audit-kill-'));
});
afterEach(() => rm(folder, { recursive: true }));

test(`killed ${kills} times while answers come in, the server loses none that it confirmed and doubles none`, async () => {
  const program = await bundle(fileURLToPath(new URL('../../test/audit-child.ts', import.meta.url)), join(folder, 'p'));
  const audit = join(folder, 'audit');
  await createAudit(audit, () => items, { questions: labelQuestions, seed: 1 });
  const rng = createRng('audit-kill');
  const sent = new Map<string, string>();
  const confirmed = new Map<string, string>();
  let next = 0;
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [program, audit], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(child.stdout, 'data');
    const url = (JSON.parse(String(printed)) as Record<string, string>).ada!;
    const { origin } = new URL(url);
    const over = once(child, 'exit');
    const enough = confirmed.size + 3;
    let dead = false;
    void over.then(() => {
      dead = true;
    });
    const reviewer = async () => {
      while (!dead && next < items.length) {
        const item = items[next++]!.id;
        const value = values[rng.integer(3)]!;
        sent.set(item, value);
        const body = JSON.stringify({ item, question: 'label', value });
        const response = await fetch(`${url}answer`, { method: 'POST', headers: { origin }, body }).catch(() => null);
        if (response?.ok) confirmed.set(item, value);
      }
    };
    const reviewers = [reviewer(), reviewer()];
    while (confirmed.size < enough) await sleep(1);
    await sleep(rng.integer(20));
    child.kill('SIGKILL');
    await over;
    await Promise.all(reviewers);
  }
  expect(confirmed.size).toBeGreaterThanOrEqual(3 * kills);

  const { reviewers } = await readReviews(audit);
  const ada = reviewers.find(({ name }) => name === 'ada')!;
  for (const [item, value] of confirmed) expect(ada.review.answers.get(item)).toEqual({ label: value });
  // what was on its way at a kill may be there too, as it was sent and once
  for (const [item, given] of ada.review.answers) expect(given).toEqual({ label: sent.get(item) });
  const lines = (await readFile(join(audit, 'answers/ada.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  const whole = lines.filter((line) => line.endsWith('}'));
  expect(new Set(whole).size).toBe(whole.length);
}, 120_000);

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeChange, revertEvidence } from '../../test/candidates.js';
import { createAudit, readAudit, readReviews } from './folder.js';
import type { AuditItem } from './item.js';
import { labelItem, vulnerabilityItem } from './item.js';
import { labelQuestions, type QuestionSet, vulnerabilityQuestions } from './question-set.js';
import { auditReport } from './report.js';
import { type AuditServer, serveAudit } from './serve.js';

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path && existsSync(path));
if (!executablePath) {
  console.warn('SKIPPED: the audit pages in a browser: no Chromium found; install one or set CHROMIUM_PATH');
}

const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const items: AuditItem[] = [0, 1, 2].map((index) => {
  const change = makeChange(index, { message: `Message ${index} ${hostile}` });
  return labelItem(change, revertEvidence(change), {
    schema: 'redef.label/1',
    id: change.id,
    label: 'defective',
    transition: 'clean->defective',
    agreed: true,
    decided_by: 'unanimous-ab/3 by rules/1',
    rule_based: true,
  });
});

let folder: string;
let server: AuditServer | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-audit-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true });
});

async function serve(questions: QuestionSet = labelQuestions, from: AuditItem[] = items): Promise<AuditServer> {
  if (!existsSync(join(folder, 'items.jsonl'))) await createAudit(folder, () => from, { questions, seed: 1 });
  server = await serveAudit(folder, { reviewers: ['ada', 'grace'] });
  return server;
}

const report = async () => auditReport(await readAudit(folder), await readReviews(folder));

describe.skipIf(!executablePath)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(() => browser?.close());

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(url);
    await page.waitForSelector('#title:not(:empty)');
    return page;
  }

  const progress = (page: Page, done: string) =>
    expect.poll(() => page.title(), { timeout: 20_000 }).toMatch(new RegExp(`^${done} `));
  const asks = (page: Page, word: string) => page.waitForSelector(`#question:has-text('${word}')`);

  test('two reviewers answer with one key, take back, note; a third decides; the report counts', async () => {
    const { urls } = await serve();
    const ada = await open(urls.ada!);
    expect(await ada.textContent('#texts')).toContain(hostile); // as text
    expect(await ada.textContent('#claim')).toBe('defective (clean->defective)');
    expect(await ada.locator('td.removed').allTextContents()).toEqual(['    return -1;']);
    expect(await ada.locator('td.added').allTextContents()).toEqual(['    table_grow(t);']);

    await ada.keyboard.press('c');
    await progress(ada, '1/3');
    await ada.keyboard.press('w');
    await progress(ada, '2/3');
    await ada.keyboard.press('u');
    await progress(ada, '1/3');
    await ada.keyboard.press('m');
    await ada.keyboard.type('cause unclear; c w u'); // keys in a note are text
    await ada.keyboard.press('Escape');
    await ada.keyboard.press('a');
    await progress(ada, '2/3');
    await ada.click('#answers button[data-value=correct]');
    await progress(ada, '3/3');
    await ada.waitForSelector('#done:not([hidden])');
    expect(await ada.evaluate('window.hacked')).toBeUndefined();

    const early = await open(urls.adjudicator!);
    expect(await early.textContent('#done')).toBe('There is nothing to decide yet.');

    const grace = await open(urls.grace!);
    expect(await grace.textContent('body')).not.toContain('cause unclear');
    for (const [key, done] of [
      ['c', '1/3'],
      ['c', '2/3'],
      ['w', '3/3'],
    ] as const) {
      await grace.keyboard.press(key);
      await progress(grace, done);
    }

    const third = await open(urls.adjudicator!);
    expect(await third.textContent('#progress')).toBe('adjudicator: 0 of 2 done');
    expect(await third.textContent('#others')).toContain('ada: Ambiguous (cause unclear; c w u)');
    expect(await third.textContent('#others')).toContain('grace: Correct');
    await third.keyboard.press('c');
    await progress(third, '1/2');
    await third.keyboard.press('w');
    await progress(third, '2/2');

    expect(await report()).toMatchObject({
      final: 3,
      disputed: 0,
      by_question: [
        {
          rows: [
            { who: 'ada', counts: { correct: 2, ambiguous: 1, wrong: 0 } },
            { who: 'grace', counts: { correct: 2, ambiguous: 0, wrong: 1 } },
            { who: 'adjudicated', counts: { correct: 2, ambiguous: 0, wrong: 1 } },
          ],
          agreement: [{ items: 3, agree: 1 }],
        },
      ],
      precision: { count: 2, of: 3 },
    });
    for (const page of [ada, early, grace, third]) await page.close();
  });

  test('an answer is on the disk before the page shows it, and a reload or a new server goes on from there', async () => {
    const first = await serve();
    const page = await open(first.urls.ada!);
    await page.keyboard.press('c');
    await progress(page, '1/3');
    expect(await readFile(join(folder, 'answers/ada.jsonl'), 'utf8')).toContain('"value":"correct"');
    await page.reload();
    await progress(page, '1/3');
    await first.close();
    await page.keyboard.press('w');
    await page.waitForSelector('#saved.failed'); // the server is gone: the page says so and counts nothing
    expect(await page.title()).toBe('1/3 ada');
    server = undefined;

    const second = await serve();
    expect(second.urls.ada).not.toBe(first.urls.ada);
    await page.goto(second.urls.ada!);
    await progress(page, '1/3');
    expect(await page.textContent('#item-title')).toMatch(/^2\. /);
    await page.close();
  });

  test('a key pressed twice answers one item, a note survives the page, and no character hides', async () => {
    const [first, ...others] = items;
    const trojan = { ...first!, title: 'a\u202eb', before: { title: 'x', text: 'if (\u2066ok\u2069) // \u200bno' } };
    const { urls } = await serve(labelQuestions, [trojan, ...others]);
    const page = await open(urls.ada!);
    await page.waitForSelector('#diff tbody tr');
    const shown = () => page.evaluate('document.getElementById("item").textContent') as Promise<string>;
    while (!(await shown()).includes('⟨U+202E⟩')) {
      await page.keyboard.press('j');
      await page.waitForTimeout(50);
    }
    expect(await shown()).toContain('if (⟨U+2066⟩ok⟨U+2069⟩) // ⟨U+200B⟩no');

    const press = `dispatchEvent(new KeyboardEvent('keydown', { key: 'c' }));`;
    await page.evaluate(press.repeat(5));
    await progress(page, '1/3');
    await page.keyboard.press('m');
    await page.keyboard.type('left open');
    await page.close({ runBeforeUnload: true });
    const notes = async () => [...(await readReviews(folder)).reviewers[0]!.review.notes.values()];
    await expect.poll(notes, { timeout: 20_000 }).toEqual(['left open']);
    const [ada] = (await readReviews(folder)).reviewers;
    expect(ada!.review.answers.size).toBe(1);
  });

  test('a function of thousands of lines shows what changed first, says what it leaves out, and shows that when asked', async () => {
    const before = Array.from({ length: 3000 }, (_, line) => `  step_${line}();`);
    before[10] = `  "${'x'.repeat(9000)}";`;
    const after = before.with(2500, '  other();').concat('  more();');
    const [item] = items;
    const long = { ...item!, before: { title: 'Before', text: before.join('\n') } };
    const { urls } = await serve(labelQuestions, [{ ...long, after: { title: 'After', text: after.join('\n') } }]);
    const page = await open(urls.ada!);
    const rows = page.locator('#diff tbody tr');
    const gaps = page.locator('td.gap span');
    await page.waitForSelector('td.gap');
    expect(await rows.count()).toBeLessThan(600);
    expect(await page.locator('td.removed').allTextContents()).toEqual(['  step_2500();']);
    expect(await page.locator('td.added').allTextContents()).toEqual(['  other();', '  more();']);
    expect(await gaps.allTextContents()).toEqual(['2300 lines not shown', '299 lines not shown']);
    await page.click('button:has-text("Show the next 1000")');
    await expect.poll(() => gaps.first().textContent(), { timeout: 20_000 }).toBe('1300 lines not shown');
    for (const left of [1, 0]) {
      await page.click('button:text-is("Show all")');
      await expect.poll(() => gaps.count(), { timeout: 20_000 }).toBe(left);
    }
    expect(await rows.count()).toBe(3001);
    await page.click('button:has-text("characters not shown") >> nth=0');
    const texts = await page.locator('#diff tbody td:nth-child(2)').allTextContents();
    expect(texts.slice(0, 3000)).toEqual(before);
  });

  test('the vulnerability questions skip what does not apply, with the text of the CVE beside the code', async () => {
    const samples = ['CWE-787', 'CWE-416'].map((cwe, index) =>
      vulnerabilityItem({
        id: `s${index}`,
        cwe,
        cve: `CVE-2020-000${index}`,
        cve_text: 'A crafted file writes past the end of the buffer.',
        vulnerable: 'void f(void)\n{\n  a();\n}',
        repaired: 'void f(void)\n{\n  if (ok())\n    a();\n}',
      }),
    );
    const { urls } = await serve(vulnerabilityQuestions, samples);
    for (const who of ['ada', 'grace']) {
      const page = await open(urls[who]!);
      expect(await page.textContent('#texts')).toContain('past the end');
      expect(await page.textContent('#question')).toContain('verifiable');
      await page.keyboard.press('y');
      await asks(page, 'accurate');
      await page.keyboard.press('y');
      await asks(page, 'complete');
      await page.keyboard.press('n');
      await progress(page, '1/2');
      await page.keyboard.press('r');
      await progress(page, '2/2');
      await page.close();
    }
    const { by_group } = await report();
    expect(by_group?.rows.filter(({ samples }) => samples > 0)).toEqual([
      { group: 'CWE-787', name: 'Out-of-bounds Write', samples: 1, counts: [1, 0, 0, 0] },
      { group: 'CWE-416', name: 'Use After Free', samples: 1, counts: [0, 0, 0, 1] },
    ]);
  });
});

interface Reply {
  status: number;
  body: string;
  headers: NodeJS.Dict<string | string[]>;
}

function send(url: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  return new Promise<Reply>((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const call = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: text, headers: response.headers }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

test('only the right token on the right host opens a page, and only the page itself may write', async () => {
  const { urls } = await serve();
  const url = new URL(urls.ada!);
  expect(url.hostname).toBe('127.0.0.1');
  expect((await send(urls.ada!)).status).toBe(200);
  expect((await send(urls.ada!)).headers['content-security-policy']).toContain("default-src 'none'");
  expect((await send(`${url.origin}/`)).status).toBe(404);
  expect((await send(urls.ada!.replace(/.\/$/, '!/'))).status).toBe(404);
  expect((await send(urls.ada!, { headers: { host: `evil.example:${url.port}` } })).status).toBe(403);
  expect((await send(`${urls.ada}../grace`)).status).toBe(404);

  const body = JSON.stringify({ item: items[0]!.id, question: 'label', value: 'correct' });
  const post = (path: string, text: string, origin = url.origin) =>
    send(`${urls.ada}${path}`, { method: 'POST', headers: { origin }, body: text });
  expect((await post('answer', body, 'http://evil.example')).status).toBe(403);
  expect((await post('answer', '{')).status).toBe(400);
  expect((await post('answer', 'x'.repeat(100_000))).status).toBe(400);
  expect((await post('answer', JSON.stringify({ item: 'none', question: 'label', value: 'correct' }))).status).toBe(
    400,
  );
  expect((await post('answer', body.replace('correct', 'maybe'))).status).toBe(400);
  expect((await post('constructor', '{}')).status).toBe(404);
  expect((await readReviews(folder)).reviewers.every(({ review }) => review.answers.size === 0)).toBe(true);
  expect((await post('answer', body)).status).toBe(200);
});

test('the adjudicator sees who reviewed another day', async () => {
  const act = async (who: string, value: string) => {
    server = await serveAudit(folder, { reviewers: [who] });
    const { origin } = new URL(server.urls[who]!);
    const body = JSON.stringify({ item: items[0]!.id, question: 'label', value });
    await send(`${server.urls[who]}answer`, { method: 'POST', headers: { origin }, body });
    const state = JSON.parse((await send(`${server.urls.adjudicator}state`)).body) as { items: unknown[] };
    expect(Object.keys(server.urls)).toEqual([who, 'adjudicator']);
    await server.close();
    return state.items.length;
  };
  await createAudit(folder, () => items, { questions: labelQuestions, seed: 1 });
  expect(await act('ada', 'correct')).toBe(0);
  expect(await act('grace', 'wrong')).toBe(1);
});

test('an audit is served once at a time and refuses odd names', async () => {
  await serve();
  await expect(serveAudit(folder, { reviewers: ['ada'] })).rejects.toMatchObject({ code: 'in-use' });
  for (const reviewers of [[], ['adjudicator'], ['ada', 'ada'], ['../ada'], ['Ada Lovelace']]) {
    await server?.close();
    await expect(serveAudit(folder, { reviewers })).rejects.toMatchObject({ code: 'invalid-reviewer' });
  }
  await expect(serveAudit(join(folder, 'answers'), { reviewers: ['ada'] })).rejects.toMatchObject({
    code: 'not-an-audit',
  });
});

test('a signal closes the server and lets the folder go', async () => {
  await createAudit(folder, () => items, { questions: labelQuestions, seed: 1 });
  const controller = new AbortController();
  const first = await serveAudit(folder, { reviewers: ['ada'], signal: controller.signal });
  controller.abort();
  await first.close();
  await expect(send(first.urls.ada!)).rejects.toThrow();
  server = await serveAudit(folder, { reviewers: ['ada'], now: () => '2026-01-01T00:00:00Z' });
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { ChangeEvidence } from '@redef/core';
import { afterAll, expect, test } from 'vitest';
import { changeRecord } from '../../test/change-record.js';
import { run } from '../run.js';

const folder = mkdtempSync(join(tmpdir(), 'redef-triage-'));
const key = 'sk-secret-0123456789';
const calls: { authorization: string | undefined; body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  calls.push({ authorization: request.headers.authorization, body });
  const content = JSON.stringify({ category: 'B', rationale: 'It crashed.', quotes: ['crash'] });
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
    }),
  );
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const model = `m@http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function redef(args: string[], { env = {}, signal = new AbortController().signal } = {}) {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += chunk;
        done();
      },
    });
  const code = await run(args, {
    cwd: folder,
    env,
    stdin: Readable.from([]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    signal,
    onProgress: () => {},
  });
  return { code, ...texts };
}

const changes = Array.from({ length: 6 }, (_, index) =>
  changeRecord(index.toString(16).padStart(40, 'a'), {
    project: index < 3 ? 'one' : 'two',
    message: `Add a cache (${index})`,
    function_after: `void f(void)\n{\n  cache(${index});\n}`,
  }),
);
const evidence = changes.map(
  ({ id, message }): ChangeEvidence => ({
    schema: 'redef.evidence/1',
    id,
    kind: 'revert',
    revert_commit: id,
    revert_message: `Revert "${message}"\n\nThis reverts commit ${id}.\n\nIt makes the server crash.`,
    reverted_at: '2024-01-02T00:00:00Z',
    shape: 'this-reverts-commit',
    loose: true,
    strict: true,
  }),
);
await mkdir(join(folder, 'mined'));
const jsonl = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
writeFileSync(join(folder, 'mined/changes.jsonl'), jsonl(changes));
writeFileSync(join(folder, 'mined/evidence.jsonl'), jsonl(evidence));
const prices = {
  schema: 'redef.prices/1',
  as_of: '2026-01',
  batch_factor: 0.5,
  models: { m: { input: 10, output: 100 } },
};
writeFileSync(join(folder, 'prices.json'), JSON.stringify(prices));

test('rules vote by default and the table says so', async () => {
  const { code, stdout } = await redef(['triage', '--mined', 'mined', '--out', 'by-rules']);
  expect(code).toBe(0);
  expect(stdout).toContain('triage: 6 of 6 kept');
  expect(stdout).toContain('votes by rules, not by a model');
  expect(calls).toHaveLength(0);
});

test('a dry run tells calls and cost and makes no call', async () => {
  const args = [
    'triage',
    '--mined',
    'mined',
    '--out',
    'voted',
    '--voter',
    model,
    '--prices',
    'prices.json',
    '--dry-run',
  ];
  const { code, stdout } = await redef([...args, '--json']);
  expect(code).toBe(0);
  const estimate = JSON.parse(stdout);
  expect(estimate).toMatchObject({ candidates: 6, calls: 18, cached: 0, output_tokens: 18 * 120 });
  expect(estimate.cost_usd).toBeCloseTo((estimate.input_tokens * 10 + 18 * 120 * 100) / 1e6, 10);
  expect((await redef(args)).stdout).toContain('No call was made');
  const priced = await redef('triage --mined mined --out voted --voter gpt-4o-2024-08-06 --dry-run'.split(' '));
  expect(priced.stdout).toMatch(/\$\d.*\nPrices as of \d{4}-\d\d \(https:.*\): look whether/s); // and no key was needed
  const unpriced = await redef('triage --mined mined --out voted --voter gpt-9 --dry-run'.split(' '));
  expect(unpriced.stdout).toContain('no price known\nThe price table does not have openai:gpt-9: add the model');
  expect(calls).toHaveLength(0);
});

test('a budget stops with exit code 3, the next run goes on, and the key stands nowhere', async () => {
  const args = [
    'triage',
    '--mined',
    'mined',
    '--out',
    'voted',
    '--voter',
    model,
    '--prices',
    'prices.json',
    '--concurrency',
    '1',
  ];
  args.push('--reasoning-effort', 'none');
  const env = { REDEF_SERVER_KEY: key, OPENAI_API_KEY: 'sk-not-for-this-server' };
  const stopped = await redef([...args, '--budget', '0.2'], { env }); // 0.02 dollars a call
  expect(stopped.code).toBe(3);
  expect(stopped.stderr).toContain('The budget of $0.2 is used up');
  const before = calls.length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(10);

  const done = await redef([...args, '--budget', '10'], { env });
  expect(done.code).toBe(0);
  expect(calls).toHaveLength(18);
  expect(calls.every(({ authorization }) => authorization === `Bearer ${key}`)).toBe(true);
  expect(calls.every(({ body }) => JSON.parse(body).reasoning_effort === 'none')).toBe(true);
  expect(done.stderr).toContain(`spent: $${(0.02 * (18 - before)).toFixed(4)} of $10`);
  const written = [stopped.stderr, done.stdout, done.stderr];
  for (const file of ['.cache/votes.jsonl', 'votes.jsonl', 'labels.jsonl', 'manifest.json', 'summary.json']) {
    written.push(await readFile(join(folder, 'voted', file), 'utf8'));
  }
  expect(written.join('')).not.toContain(key);

  const again = await redef([...args], { env });
  expect(again.stdout).toContain('up to date');
  expect(calls).toHaveLength(18);
});

test('wrong use is exit code 2', async () => {
  const triage = ['triage', '--mined', 'mined', '--out', 'x'];
  for (const args of [
    [...triage, '--budget', 'much'],
    [...triage, '--voter', 'unpriced@http://127.0.0.1:1/v1', '--budget', '1'],
    [...triage, '--batch'],
    [...triage, '--rule', 'whim'],
    [...triage, '--ballots', '1', '--voter', 'rules', '--voter', model],
    ['audit', 'sample', '--out', 'x'],
    ['audit', 'serve', 'x'],
  ]) {
    expect([args, (await redef(args)).code]).toEqual([args, 2]);
  }
  const keyless = await redef([...triage, '--voter', 'gpt-4o']);
  expect(keyless.stderr).toContain('OPENAI_API_KEY');
});

test('a mistyped address of a server sends nothing to OpenAI', async () => {
  const triage = ['triage', '--mined', 'mined', '--out', 'mistyped', '--voter'];
  const env = { OPENAI_API_KEY: 'sk-not-to-be-sent-0001', REDEF_SERVER_KEY: key };
  const address = model.slice('m@http://'.length);
  for (const voter of [`m@${address}`, 'm@notaurl', 'm@ftp://x', 'm@', `http://${address}`]) {
    const refused = await redef([...triage, voter], { env });
    expect([voter, refused.code], refused.stderr).toEqual([voter, 2]);
    expect(refused.stderr).toContain('MODEL@http://');
  }
  calls.length = 0;
  expect((await redef([...triage, `m@HTTP://${address}`], { env })).code).toBe(0);
  expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${key}`]));
});

test('an audit from the sample to the report', async () => {
  const sampled = await redef([
    'audit',
    'sample',
    '--mined',
    'mined',
    '--labels',
    'by-rules',
    '--out',
    'audit',
    '--size',
    '4',
  ]);
  expect(sampled.stdout).toContain('one: 2 of 3\ntwo: 2 of 3\n');

  const stop = new AbortController();
  const serving = redef(['audit', 'serve', 'audit', '--reviewer', 'ada', '--reviewer', 'grace'], {
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(), 300);
  const served = await serving;
  expect(served.code).toBe(0);
  expect(served.stdout).toMatch(/^ada: http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\ngrace: /);

  const report = await redef(['audit', 'report', 'audit']);
  expect(report.stdout).toContain('Not finished: 0 of 4 items');
  expect(JSON.parse((await redef(['audit', 'report', 'audit', '--json'])).stdout)).toMatchObject({
    items: 4,
    waiting: 4,
  });
});

test('other items and another question set come from files', async () => {
  const sample = { id: 's1', cwe: 'CWE-787', cve: 'CVE-2020-1', cve_text: 'x', vulnerable: 'a', repaired: 'b' };
  writeFileSync(join(folder, 'items.jsonl'), jsonl([sample, { ...sample, id: 's2', cwe: 'CWE-416' }]));
  expect((await redef(['audit', 'sample', '--items', 'items.jsonl', '--out', 'rr'])).stdout).toContain(
    'CWE-416: 1 of 1',
  );
  expect((await redef(['audit', 'report', 'rr'])).stdout).toContain('| CWE-787 | Out-of-bounds Write | 0 |');

  writeFileSync(join(folder, 'q.json'), '{"schema":"redef.questions/1"}');
  const broken = await redef(['audit', 'sample', '--items', 'items.jsonl', '--questions', 'q.json', '--out', 'other']);
  expect(broken.code).toBe(3);
  expect(broken.stderr).toContain('q.json');
});

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StudyResults } from '@redef/experiment';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSampleHistory } from '../src/sample-history/index.js';
import { redef } from './harness.js';

// Every kind of model in one study: linear, a transformer from random weights, one from a checkpoint, a chat model.

let root: string;
let server: Server;
let asked = 0;
/** The first text that the chat model was shown: it will not judge it. */
let refused: string | undefined;
let url: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-study-models-'));
  await writeSampleHistory(join(root, 'history'));
  writeTokenizer(join(root, 'tokenizer'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked++;
      const shown: string = JSON.parse(body).messages[1].content;
      refused ??= shown;
      const message =
        shown === refused
          ? { content: null, refusal: 'I will not judge this.' }
          : { content: JSON.stringify({ defect_percent: shown.length % 101 }) };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...message } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

/** A byte-level vocabulary without merges: one token a byte, printable bytes as themselves, the others from U+0100 on. */
function writeTokenizer(folder: string): void {
  let unprintable = 0x100;
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    const prints = (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
    return String.fromCharCode(prints ? byte : unprintable++);
  });
  const ids = ['<s>', '<pad>', '</s>', '<unk>', ...bytes].map((token, id) => [token, id]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'vocab.json'), JSON.stringify(Object.fromEntries(ids)));
  writeFileSync(join(folder, 'merges.txt'), '#version: 0.2\n');
}

const study = (models: string, counterfactuals = ''): string => `
repositories: [quill=history/quill, hamper=history/hamper]
models:
  - linear
${models}
encodings: [diff-tags]
${counterfactuals}
seeds: [1]
training: { learning_rate: 1.0e-3, epochs: 1 }
store: store
`;

const scratch = `
  - kind: scratch
    name: tiny
    preset: roberta
    tokenizer: tokenizer
    max_tokens: 64
    config: { model_type: roberta, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8, max_position_embeddings: 66 }
`;

async function run(name: string, models: string): Promise<StudyResults> {
  for (const folder of name === 'first' ? [] : ['mined', 'triaged']) {
    cpSync(join(root, 'first', folder), join(root, name, folder), { recursive: true }); // mined once
  }
  writeFileSync(join(root, `${name}.yaml`), study(models, name === 'first' ? '' : 'counterfactuals: []'));
  const { code, stdout, stderr } = await redef(root, ['study', `${name}.yaml`, '--out', name, '--json']);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

test('models of every kind stand in one study; a checkpoint is where another starts, wherever its folder lies', async () => {
  const first = await run('first', `${scratch}  - { kind: chat, name: chatty, model: m, base_url: '${url}' }`);
  expect(first.missing).toEqual([]);
  expect(first.cells.map(({ model, counterfactual }) => [model, counterfactual])).toEqual(
    ['linear', 'tiny', 'chatty'].flatMap((model) => [
      [model, undefined],
      [model, 'reversed-tags'],
    ]),
  );
  const { n } = first.cells[0]!;
  expect(asked).toBeGreaterThan(n!); // the reversed changes too, but for those that look the same
  expect(asked).toBeLessThanOrEqual(2 * n! + 2); // one of them three times
  const chatty = first.cells.filter(({ model }) => model === 'chatty');
  expect(chatty.map(({ unanswered }) => unanswered)).toEqual([{ refused: 1 }, expect.any(Object)]);
  expect(first.cells[0]!.unanswered).toBeUndefined();
  expect(readFileSync(join(root, 'first', chatty[0]!.folder!, 'predictions.jsonl'), 'utf8')).toMatch(
    /"score":0,"threshold":0\.5,"unanswered":"refused"\}/,
  );
  expect(readFileSync(join(root, 'first', 'report', 'report.md'), 'utf8')).toMatch(
    /chatty gave no answer to some of \d+ questions \(\d refused\)/,
  );
  const before = asked;
  await run('again', `  - { kind: chat, name: chatty, model: m, base_url: '${url}' }`);
  expect(asked).toBe(before);

  const trained = first.cells.find(({ model }) => model === 'tiny')!;
  const scores = (cell: { folder?: string }, of: string): string[] =>
    readFileSync(join(root, of, cell.folder!, 'predictions.jsonl'), 'utf8').split('\n');
  for (const place of ['here', 'there']) {
    cpSync(join(root, 'first', trained.folder!, 'model'), join(root, place), { recursive: true });
    cpSync(join(root, 'tokenizer'), join(root, place), { recursive: true });
  }
  const from = (folder: string): string =>
    `  - { kind: checkpoint, name: tuned, preset: roberta, checkpoint: ${folder}, max_tokens: 64 }`;
  const here = (await run('second', from('here'))).cells.find(({ model }) => model === 'tuned')!;
  const there = (await run('third', from('there'))).cells.find(({ model }) => model === 'tuned')!;
  expect(there.folder).toBe(here.folder); // one cell: the digest of the weights counts, not where they lie
  expect(scores(here, 'second')).not.toEqual(scores(trained, 'first'));
}, 600_000);

test('a checkpoint that is not there is told before anything is trained', async () => {
  writeFileSync(join(root, 'none.yaml'), study('  - { kind: checkpoint, preset: codebert, checkpoint: nowhere }'));
  const { code, stderr } = await redef(root, ['study', 'none.yaml', '--out', 'none']);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/nowhere: (no such file|no tokenizer)/)]);
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { redef } from '../../test/harness.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-score-'));
  const rows = [
    [
      '0',
      'CWE-476 int f ( int * p ) { <S2SV_StartBug> return * p ; <S2SV_EndBug> }\n',
      '<S2SV_ModStart> p ) { if ( ! p ) return 0 ;\n',
    ],
    ['1', 'CWE-787 a ( b , c ) ;\n', '<S2SV_ModStart> b , c , d\n'],
    ['2', 'CWE-787 a ( b , c ) ;\n', '\n'],
  ];
  writeFileSync(
    join(folder, 'truth.csv'),
    [',source,target', ...rows.map((row) => row.map((cell) => `"${cell}"`).join(','))].join('\n'),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const jsonl = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const predictions = jsonl([
  { id: '0', seed: 1, predictions: ['<S2SV_ModStart> p ) { if ( ! p ) return 0 ;', 'x'] },
  { id: '1', seed: 1, predictions: ['wrong', '<S2SV_ModStart> b , c , d'] },
  { id: '2', seed: 1, predictions: [''] },
  { id: '1', seed: 2, predictions: ['<S2SV_ModStart> b , c , d'] },
  { id: '9', seed: 2, predictions: ['x'] },
]);

test('scores by seed and CWE, as text and as JSON', async () => {
  writeFileSync(join(folder, 'predictions.jsonl'), predictions);
  const text = await redef(folder, ['score', 'predictions.jsonl', 'truth.csv']);
  expect([text.code, text.stderr]).toEqual([0, '']);
  expect(text.stdout).toMatch(/^perfect prediction +100\.00 +33\.33 +66\.67 +47\.14$/m);
  expect(text.stdout).toMatch(/^ {3}1 {2}CWE-787 +2 +75\.00 +75\.00 +2 +1$/m);
  expect(text.stdout).toContain('seed 2: 2 samples without a prediction, counted as wrong');
  expect(text.stdout).toContain('1 predictions are for samples not in the truth');

  const json = await redef(folder, ['score', '-', 'truth.csv', '--json', '--syntax', '--out', 'scores.jsonl'], {
    stdin: predictions,
  });
  const report = JSON.parse(json.stdout);
  expect(report.seeds[0].metrics).toMatchObject({
    perfectPrediction: 1,
    top1: 2 / 3,
    placed: 2 / 3,
    validSyntax: 2 / 3,
  });
  const scores = readFileSync(join(folder, 'scores.jsonl'), 'utf8').trimEnd().split('\n');
  expect(scores).toHaveLength(6);
  expect(JSON.parse(scores[0]!)).toMatchObject({
    id: '0',
    seed: '1',
    cwe: 'CWE-476',
    paperRank: 1,
    placement: 'placed',
  });
});

test('a tokenizer cuts the truth for the papers alone', async () => {
  // A byte-level vocabulary without merges: one token a byte, printable bytes as themselves, the others from U+0100 on.
  let unprintable = 0x100;
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    const prints = (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
    return String.fromCharCode(prints ? byte : unprintable++);
  });
  const vocabulary = ['<s>', '<pad>', '</s>', '<unk>', ...bytes];
  writeFileSync(
    join(folder, 'vocab.json'),
    JSON.stringify(Object.fromEntries(vocabulary.map((token, id) => [token, id]))),
  );
  writeFileSync(join(folder, 'merges.txt'), '#version: 0.2\n');
  writeFileSync(join(folder, 'predictions.jsonl'), jsonl([{ id: '1', predictions: ['<S2SV_ModStart> b ,'] }]));
  const args = ['score', 'predictions.jsonl', 'truth.csv', '--tokenizer', '.', '--max-tokens', '7', '--json'];
  const report = JSON.parse((await redef(folder, args)).stdout);
  expect(report.truthsCut).toBe(2);
  expect(report.seeds[0].metrics).toMatchObject({ perfectPrediction: 1 / 3, perfectPredictionStrict: 0 });
});

test('a file without the columns is told in two lines', async () => {
  writeFileSync(join(folder, 'predictions.jsonl'), jsonl([{ id: 1 }]));
  const result = await redef(folder, ['score', 'predictions.jsonl', 'truth.csv']);
  expect([result.code, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toMatch(/^redef: .*predictions\.jsonl:1: no column prediction\n {2}.+\n$/);
  expect((await redef(folder, ['score', 'nowhere.jsonl', 'truth.csv'])).code).toBe(3);
});

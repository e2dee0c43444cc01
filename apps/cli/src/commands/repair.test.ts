import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redef } from '../../test/harness.js';

// A small model learns by heart the one repair that it is then asked for.

let folder: string;
const vulnerable = `#include <string.h>

/* first — nothing to see */
static int first(void) { return 0; }

int copy(char *to, const char *name)
{
	strcpy(to, name); /* naïve */
	return 0;
}

int last(void) { return 1; }
`;
const before = 'int copy ( char * to , const char * name ) { strcpy ( to , name ) ; return 0 ; }';
const after = 'int copy ( char * to , const char * name ) { strlcpy ( to , name , 16 ) ; return 0 ; }';
const config = {
  model_type: 't5',
  vocab_size: 260,
  d_model: 32,
  d_kv: 8,
  d_ff: 64,
  num_heads: 4,
  num_layers: 1,
  dropout_rate: 0,
  pad_token_id: 1,
  decoder_start_token_id: 1,
};

/** A vocabulary of single bytes after `<s>`, `<pad>` and `</s>`. */
function writeTokenizer(at: string): void {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const isShown = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  const characters = bytes.map((byte) => String.fromCharCode(isShown(byte) ? byte : next++));
  const vocabulary = ['<s>', '<pad>', '</s>', '<unk>', ...characters];
  writeFileSync(join(at, 'vocab.json'), JSON.stringify(Object.fromEntries(vocabulary.map((token, id) => [token, id]))));
  writeFileSync(join(at, 'merges.txt'), '#version: 0.2\n');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redef-repair-'));
  writeFileSync(join(folder, 'net.c'), vulnerable);
  writeFileSync(join(folder, 'before.txt'), `${before}\n`.repeat(8));
  writeFileSync(join(folder, 'after.txt'), `${after}\n`.repeat(8));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeTokenizer(folder);
  const format = await redef(folder, [
    'repair',
    'format',
    'before.txt',
    'after.txt',
    '--out',
    'train.csv',
    '--cwe',
    'CWE-120',
  ]);
  expect([format.stderr, format.code]).toEqual(['', 0]);
  const network = ['--model', 'config.json', '--tokenizer', '.', '--family', 'roberta', '--threads', '1'];
  const training = [
    '--epochs',
    '120',
    '--learning-rate',
    '0.01',
    '--max-source-tokens',
    '160',
    '--max-target-tokens',
    '64',
  ];
  const train = await redef(folder, [
    'repair',
    'train',
    '--train',
    'train.csv',
    '--out',
    'model',
    ...network,
    ...training,
  ]);
  expect([train.stderr, train.code]).toEqual(['', 0]);
  expect(train.stdout).toMatch(/epoch 120: training loss 0\.0/);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = ['repair', 'net.c:copy', '--model', 'model', '--cwe', 'CWE-120', '--lines', '8', '--beam', '3'];

test('ranked patches as diffs with probabilities; nothing is written unasked', async () => {
  const { code, stdout } = await redef(folder, ask);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1\. probability 0?\.?\d+.*, placed$/m);
  expect(stdout).toContain(
    [
      '@@ -5,7 +5,7 @@',
      ' ',
      ' int copy(char *to, const char *name)',
      ' {',
      '-\tstrcpy(to, name); /* naïve */',
      '+\tstrlcpy(to, name, 16); /* naïve */',
    ].join('\n'),
  );
  expect(readFileSync(join(folder, 'net.c'), 'utf8')).toBe(vulnerable);

  const json = JSON.parse((await redef(folder, [...ask, '--json'])).stdout);
  expect(json.source).toContain('<S2SV_StartBug> strcpy ( to , name ) ; <S2SV_EndBug>');
  expect(json.candidates[0]).toMatchObject({ rank: 1, status: 'placed' });
  expect(json.candidates.length).toBe(3);
});

test.each([
  ['line feeds', (text: string) => text],
  ['carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
  ['no line break at the end', (text: string) => text.slice(0, text.indexOf('\n\nint last'))],
])('git applies a patch to a file with %s', async (_name, change) => {
  writeFileSync(join(folder, 'other.c'), change(vulnerable));
  const { stdout } = await redef(folder, ['repair', 'other.c:copy', ...ask.slice(2), '--json']);
  const [patch] = JSON.parse(stdout).candidates[0].patches;
  execFileSync('git', ['apply', '--check', '-'], { cwd: folder, input: patch });
  const text = (await redef(folder, ['repair', 'other.c:copy', ...ask.slice(2), '--beam', '1'])).stdout;
  expect(text.slice(text.indexOf('\n') + 1)).toBe(patch);
});

test('targets with other context are placed with --context', async () => {
  const format = ['repair', 'format', 'before.txt', 'after.txt', '--context', '1', '--out', 'near.csv'];
  expect((await redef(folder, format)).code).toBe(0);
  const train = ['repair', 'train', '--train', 'near.csv', '--out', 'near', '--model', 'model', '--threads', '1'];
  expect((await redef(folder, [...train, '--epochs', '40', '--learning-rate', '0.01'])).code).toBe(0);
  const near = ['repair', 'net.c:copy', '--model', 'near', '--lines', '8', '--beam', '1', '--json'];
  const first = async (...flags: string[]) =>
    JSON.parse((await redef(folder, [...near, ...flags])).stdout).candidates[0];
  expect((await first('--context', '1')).patches[0]).toContain('+\tstrlcpy(to, name, 16);');
  expect((await first()).status).not.toBe('placed');
}, 60_000);

test('diverse beams and draws instead of beams, and their flags with no other search', async () => {
  const candidates = async (...flags: string[]) =>
    JSON.parse((await redef(folder, [...ask, '--json', ...flags])).stdout).candidates;
  const drawn = await candidates('--search', 'nucleus', '--top-p', '0.9', '--sampling-seed', '4');
  expect(drawn[0]).toMatchObject({ rank: 1, status: 'placed' });
  expect(await candidates('--search', 'nucleus', '--top-p', '0.9', '--sampling-seed', '4')).toEqual(drawn);
  const diverse = await candidates('--search', 'diverse', '--groups', '3', '--diversity-penalty', '2');
  expect(diverse[0].probability).toBeCloseTo((await candidates())[0].probability, 5);
});

test('predictions of a file can be scored', async () => {
  const predict = ['repair', 'predict', 'train.csv', '--model', 'model', '--beam', '2', '--out', 'p.jsonl'];
  expect((await redef(folder, predict)).stdout).toContain('8 samples');
  const seeds = readFileSync(join(folder, 'p.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).seed);
  expect(new Set(seeds)).toEqual(new Set([26312])); // that of the model
  const score = await redef(folder, ['score', 'p.jsonl', 'train.csv']);
  expect(score.stdout).toMatch(/^perfect prediction +100\.00$/m);
});

test('a tokenizer with more ids than the model is refused', async () => {
  cpSync(join(folder, 'model'), join(folder, 'other'), { recursive: true });
  const settings = JSON.parse(readFileSync(join(folder, 'other', 'repair.json'), 'utf8'));
  writeFileSync(join(folder, 'other', 'repair.json'), JSON.stringify({ ...settings, tokenizer: undefined }));
  const vocab = JSON.parse(readFileSync(join(folder, 'other', 'vocab.json'), 'utf8'));
  writeFileSync(join(folder, 'other', 'vocab.json'), JSON.stringify({ ...vocab, '<more>': 400 }));
  const { code, stderr } = await redef(folder, [
    ...ask.map((word) => (word === 'model' ? 'other' : word)),
    '--family',
    'roberta',
  ]);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('the tokenizer has 406 ids, the model')]);
  expect(code).not.toBe(0);
});

test('--apply keeps the file as it was, unless git has it; a copy is never overwritten', async () => {
  const file = join(folder, 'net.c');
  const applied = await redef(folder, [...ask, '--apply', '1']);
  expect([applied.code, applied.stderr.includes('net.c.orig')]).toEqual([0, true]);
  expect(readFileSync(file, 'utf8')).toBe(vulnerable.replace('strcpy(to, name)', 'strlcpy(to, name, 16)'));
  expect(readFileSync(`${file}.orig`, 'utf8')).toBe(vulnerable);

  writeFileSync(file, vulnerable);
  const refused = await redef(folder, [...ask, '--apply', '1']);
  expect([refused.code, refused.stderr.includes('not overwritten')]).toEqual([3, true]);
  expect(readFileSync(file, 'utf8')).toBe(vulnerable);

  rmSync(`${file}.orig`);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-C', folder, ...args]);
  git('init', '-q');
  git('add', 'net.c');
  git('commit', '-qm', 'before');
  expect((await redef(folder, [...ask, '--apply', '1'])).code).toBe(0);
  expect(existsSync(`${file}.orig`)).toBe(false);
  expect(git('diff', '--stat').toString()).toContain('net.c');
});

test.each([
  ['no such function', ['repair', 'net.c:absent', '--model', 'model'], /has no function absent/],
  ['no place', ['repair', 'net.c', '--model', 'model'], /expected FILE:FUNCTION/],
  ['no model', ['repair', 'net.c:copy'], /--model is needed/],
  ['a rank that is not there', [...ask, '--apply', '9'], /patch 9 cannot be applied/],
  ['lines elsewhere', [...ask, '--lines', '1'], /the function is on lines 6 to 10, not on 1 to 1/],
  ['a flag of another search', [...ask, '--top-p', '0.5'], /--top-p is for nucleus alone/],
  [
    'transfer from nothing',
    'repair study --train train.csv --test train.csv --model model --out s --scenarios transfer'.split(' '),
    /need a corpus to pre-train on/,
  ],
  ['groups that do not divide the beams', [...ask, '--search', 'diverse', '--groups', '2'], /multiple of groups/],
])('wrong use: %s', async (_name, args, message) => {
  const { code, stderr } = await redef(folder, args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('a study ends with its report and all its scores', async () => {
  writeFileSync(join(folder, 'judged.csv'), 'id,accurate,complete\n0,yes,no\n');
  const sample = (id: number, cwe: string) => ({
    id,
    source: `${cwe} int f ( ) { <S2SV_StartBug> a ( ${id} ) ; <S2SV_EndBug> }`,
    target: `<S2SV_ModStart> ( ) { b <S2SV_ModEnd> ( ${id} )`,
  });
  const lines = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(join(folder, 'study-train.jsonl'), lines([0, 1, 2, 2].map((id) => sample(id, 'CWE-787'))));
  writeFileSync(join(folder, 'study-test.jsonl'), lines([0, 5].map((id) => sample(id, 'CWE-787'))));
  const args = ['--train', 'study-train.jsonl', '--test', 'study-test.jsonl', '--out', 'study', '--threads', '1'];
  const network = ['--model', 'config.json', '--tokenizer', '.', '--family', 'roberta'];
  const small = ['--max-source-tokens', '96', '--max-target-tokens', '24', '--epochs', '1', '--validation-share', '0'];
  const few = ['--scenarios', 'RQ1,RQ2B', '--seeds', '1,2', '--beam', '2', '--syntax', '--judgements', 'judged.csv'];
  const study = await redef(folder, ['repair', 'study', ...args, ...network, ...small, ...few]);
  expect(study.code).toBe(0);
  expect(readFileSync(join(folder, 'study/report.md'), 'utf8')).toMatch(
    /RQ2B: duplicates cut from test \| 3 \| 0 \| 1 /,
  );
  const scores = readFileSync(join(folder, 'study/scores.md'), 'utf8');
  for (const text of [
    'RQ1, 2 beams. Repair of 2 samples',
    'RQ2B, 2 beams. Repair of 1 samples',
    'edit similarity',
    'valid syntax',
  ]) {
    expect(scores).toContain(text);
  }
  expect(scores).toMatch(/\| CodeBLEU data flow \| [\d.]+ \| [\d.]+ \| [\d.]+ \| [\d.]+ \|/);
  expect(scores).toMatch(
    /RQ4B and table XV\); 1 samples not judged[\s\S]*\| CWE-787 \| 1 \| [\d.]+ \| 1 \| [\d.]+ \| 0 \| - \| 0 \| - \|/,
  );
}, 60_000);

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestFile, writeJsonl } from '@redef/core/files';
import type { TrainingEngine } from '@redef/training';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cell, cellKey } from './cell.js';
import { checkpointDigest } from './checkpoint-digest.js';
import { createSequentialExecutor } from './executor.js';
import { type RunCellOptions, runCell } from './run-cell.js';
import { cellState, type RunStore, runStore } from './run-store.js';

let root: string;
let store: RunStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-cells-'));
  store = runStore(join(root, 'store'));
  const ids = Array.from({ length: 60 }, (_, i) => i.toString(16).padStart(16, '0'));
  const isDefective = (i: number): boolean => i % 3 === 0;
  await writeJsonl(
    join(root, 'encoded', 'encoded.jsonl'),
    ids.map((id, i) => ({
      schema: 'redef.encoded/1',
      id,
      encoding: 'diff-tags',
      tokenizer: 't',
      max_tokens: 8,
      input_ids: isDefective(i) ? [1, 7, 30 + (i % 5)] : [1, 30 + (i % 5)],
      tokens: 3,
      tokens_lost: 0,
      changed_lines: 1,
      changed_lines_shown: 1,
      changed_lines_kept: 1,
    })),
  );
  await writeJsonl(
    join(root, 'labels', 'labels.jsonl'),
    ids.map((id, i) => ({
      schema: 'redef.label/1',
      id,
      label: isDefective(i) ? 'defective' : 'clean',
      transition: null,
      agreed: true,
      decided_by: 'test',
      rule_based: true,
    })),
  );
  await writeJsonl(
    join(root, 'split', 'splits.jsonl'),
    ids.map((id, i) => ({
      schema: 'redef.split/1',
      id,
      split: i < 40 ? 'train' : i < 50 ? 'validation' : 'test',
      rule: 'test',
    })),
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function makeCell(change: Partial<Cell> = {}): Promise<Cell> {
  const files = {
    'encoded/encoded.jsonl': join(root, 'encoded', 'encoded.jsonl'),
    'labels/labels.jsonl': join(root, 'labels', 'labels.jsonl'),
    'split/splits.jsonl': join(root, 'split', 'splits.jsonl'),
  };
  const inputs: Record<string, string> = {};
  for (const [name, path] of Object.entries(files)) inputs[name] = await digestFile(path);
  const cell = {
    schema: 'redef.cell/1' as const,
    model: 'linear',
    encoding: 'diff-tags',
    seed: 1,
    spec: { engine: 'linear', options: {} },
    threshold: 'fixed' as const,
    examples: { encoded: join(root, 'encoded'), labels: join(root, 'labels'), split: join(root, 'split') },
    inputs,
    ...change,
  };
  return { ...cell, key: cellKey(cell) };
}

const files = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

/** The linear engine with its calls counted, or one that fails. */
function counting(fail?: () => never): { engines: NonNullable<RunCellOptions['engines']>; fits: () => number } {
  let fits = 0;
  const engine: TrainingEngine = {
    id: 'linear',
    options: {},
    async fit({ train, validation }) {
      fits++;
      fail?.();
      for await (const _ of train);
      for await (const _ of validation);
      return {
        folder: '',
        engine: 'linear',
        epochs: [],
        bestEpoch: 1,
        selectedByValidation: false,
        threshold: 0.5,
        files: [],
      };
    },
    async *predict(_, examples) {
      for await (const { id, inputIds } of examples) yield { id, score: inputIds[1] === 7 ? 0.4 : 0.1 };
    },
  };
  return { engines: { linear: () => engine }, fits: () => fits };
}

test('a cell leaves its files whole, once, and a second call runs nothing', async () => {
  const cell = await makeCell();
  expect(await runCell(cell, store)).toEqual({ status: 'done', reused: false });
  const folder = store.cell(cell.key);
  expect(files(folder)).toEqual([
    'cell.json',
    'environment.json',
    'manifest.json',
    'metrics.json',
    'model',
    'model/model.json',
    'predictions.jsonl',
    'training.json',
  ]);
  expect(JSON.parse(readFileSync(join(folder, 'metrics.json'), 'utf8'))).toMatchObject({ n: 10, positives: 3, f1: 1 });
  expect(files(store.root).filter((name) => /work\/|claims\/|failures\//.test(name))).toEqual([]);
  expect(await cellState(store, cell.key)).toEqual({ state: 'done', seconds: expect.any(Number) });

  const { engines, fits } = counting();
  expect(await runCell(cell, store, { engines })).toEqual({ status: 'done', reused: true });
  expect(fits()).toBe(0);

  rmSync(join(folder, 'predictions.jsonl'));
  expect(await cellState(store, cell.key)).toEqual({ state: 'open' });
});

test('the key is that of what decides the results: a study’s own names for it do not count, all else does', async () => {
  const cell = await makeCell();
  expect((await makeCell({ model: 'another name' })).key).toBe(cell.key);
  const others = [
    { seed: 2 },
    { spec: { engine: 'linear', options: { l2: 1 } } },
    { threshold: 'validation-f1' as const },
    { uses: cell.key },
    { inputs: { ...cell.inputs, 'encoded/encoded.jsonl': '0'.repeat(64) } },
  ];
  const keys = await Promise.all(others.map(async (change) => (await makeCell(change)).key));
  expect(new Set([cell.key, ...keys]).size).toBe(6);
});

test('twenty callers at once train once', async () => {
  const cell = await makeCell();
  const { engines, fits } = counting();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => runCell(cell, store, { engines, claim: { pollMs: 5 } })),
  );
  expect(fits()).toBe(1);
  expect(outcomes.filter((outcome) => outcome.status === 'done' && !outcome.reused).length).toBe(1);
});

test('a failure is recorded and given back, the other cells go on, and the next try may succeed', async () => {
  const [bad, good] = [await makeCell({ spec: { engine: 'broken', options: {} } }), await makeCell()];
  const { engines: broken } = counting(() => {
    throw new TypeError('the card fell off');
  });
  const engines = { broken: broken.linear!, linear: counting().engines.linear! };
  const events = [];
  const run = { folder: root, store };
  for await (const event of createSequentialExecutor({ engines }).submit([bad, good], run)) events.push(event);
  expect(events.map(({ type, key }) => [type, key])).toEqual([
    ['started', bad.key],
    ['failed', bad.key],
    ['started', good.key],
    ['done', good.key],
  ]);
  expect(await cellState(store, bad.key)).toMatchObject({
    state: 'failed',
    failure: { code: 'unexpected', message: 'the card fell off' },
  });
  engines.broken = counting().engines.linear!;
  expect(await runCell(bad, store, { engines })).toEqual({ status: 'done', reused: false });
  expect(await cellState(store, bad.key)).toMatchObject({ state: 'done' });
});

test('a cell that uses another’s model is shown that model, and waits for it', async () => {
  const first = await makeCell();
  const second = await makeCell({ uses: first.key, counterfactual: 'reversed-tags' });
  expect(await runCell(second, store)).toMatchObject({ status: 'failed', failure: { code: 'cell-not-ready' } });
  const { engines, fits } = counting();
  const order: string[] = [];
  for await (const { type, key } of createSequentialExecutor({ engines }).submit([second, first], {
    folder: root,
    store,
  })) {
    if (type === 'done') order.push(key);
  }
  expect([order, fits()]).toEqual([[first.key, second.key], 1]);
  expect(existsSync(join(store.cell(second.key), 'model'))).toBe(false);
});

test('the threshold is the engine’s, or that with the best F1 on validation', async () => {
  const { engines } = counting();
  const f1 = async (cell: Cell): Promise<number> => {
    await runCell(cell, store, { engines });
    return JSON.parse(readFileSync(join(store.cell(cell.key), 'metrics.json'), 'utf8')).f1;
  };
  expect(await f1(await makeCell())).toBe(0);
  expect(await f1(await makeCell({ threshold: 'validation-f1' }))).toBe(1);
});

test('a damaged result is made again, a changed input is refused, and an unknown engine is named', async () => {
  const cell = await makeCell();
  await runCell(cell, store);
  const path = join(store.cell(cell.key), 'predictions.jsonl');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, before.slice(0, 100));
  expect(await runCell(cell, store)).toEqual({ status: 'done', reused: false });
  expect(readFileSync(path, 'utf8')).toBe(before);

  const other = await makeCell({ seed: 2 });
  writeFileSync(join(root, 'split', 'splits.jsonl'), '');
  expect(await runCell(other, store)).toMatchObject({ failure: { code: 'plan-outdated' } });
  expect(await runCell(await makeCell({ spec: { engine: 'magic', options: {} } }), store)).toMatchObject({
    failure: { code: 'unknown-engine', message: expect.stringContaining('magic') },
  });
});

test('a checkpoint whose weights are others than planned is refused', async () => {
  const folder = join(root, 'checkpoint');
  mkdirSync(folder);
  writeFileSync(join(folder, 'model.safetensors'), 'weights');
  const { engines } = counting();
  const spec = { engine: 'linear', options: {} };
  const planned = { folder, digest: await checkpointDigest(folder) };
  const cell = await makeCell({ spec: { ...spec, checkpoint: planned } });
  const elsewhere = await makeCell({ spec: { ...spec, checkpoint: { ...planned, folder: 'elsewhere' } } });
  expect(elsewhere.key).toBe(cell.key);
  writeFileSync(join(folder, 'model.safetensors'), 'other weights');
  expect(await runCell(cell, store, { engines })).toMatchObject({ failure: { code: 'plan-outdated' } });
  writeFileSync(join(folder, 'model.safetensors'), 'weights');
  expect(await runCell(cell, store, { engines })).toEqual({ status: 'done', reused: false });
});

test('a run that is stopped leaves no failure and no claim', async () => {
  const cell = await makeCell();
  const stop = new AbortController();
  const { engines } = counting(() => {
    stop.abort();
    throw new Error('anything');
  });
  await expect(runCell(cell, store, { engines, signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
  expect(await cellState(store, cell.key)).toEqual({ state: 'open' });
});

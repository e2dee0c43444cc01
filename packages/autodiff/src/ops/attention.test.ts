import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { expect, test } from 'vitest';
import { compile } from '../compile.js';
import { gradients } from '../gradients.js';
import { Graph } from '../graph.js';
import { normal } from '../initializers.js';
import { Session } from '../session.js';
import { multiply } from './arithmetic.js';
import { attention } from './attention.js';
import { sum } from './reductions.js';

function model(recompute: boolean | undefined, length = 6) {
  const graph = new Graph();
  const [query, key, value] = ['query', 'key', 'value'].map((name) =>
    graph.parameter(name, [2, 2, length, 4], normal(1)),
  );
  const options = { dropoutRate: 0.3, ...(recompute !== undefined && { recompute }) };
  const output = attention(query!, key!, value!, options);
  const loss = sum(multiply(output, output));
  const [byQuery, byKey, byValue] = gradients(loss, graph.parameters);
  return { loss, byQuery: byQuery!, byKey: byKey!, byValue: byValue! };
}

/** Nodes of a type that are left when ONNX Runtime has put equal ones together. */
async function countAfterOptimization(outputs: ReturnType<typeof model>, type: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'redef-attention-'));
  const optimizedModelFilePath = join(folder, 'optimized.onnx');
  const session = await InferenceSession.create(compile(outputs).model, {
    optimizedModelFilePath,
    logSeverityLevel: 3, // it warns that the file is for this machine
  });
  await session.release();
  const bytes = readFileSync(optimizedModelFilePath, 'latin1');
  rmSync(folder, { recursive: true });
  return bytes.split(`"${String.fromCharCode(type.length)}${type}`).length - 1; // the field op_type of a node
}

test('weights that are computed anew are not kept, and change no bit', async () => {
  expect(await countAfterOptimization(model(false), 'Softmax')).toBe(1);
  expect(await countAfterOptimization(model(true), 'Softmax')).toBe(2);
  const [kept, anew] = await Promise.all(
    [false, true].map(async (recompute) =>
      (await Session.create({ outputs: model(recompute) })).run({}, { seed: 'dropout' }),
    ),
  );
  expect(anew).toEqual(kept);
});

test('they are computed anew where they are larger than what attention keeps besides', async () => {
  expect(await countAfterOptimization(model(undefined, 16), 'Softmax')).toBe(1);
  expect(await countAfterOptimization(model(undefined, 17), 'Softmax')).toBe(2);
});

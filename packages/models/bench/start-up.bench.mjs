// From a checkpoint of RoBERTa-base on disk to a session that is ready for its first training step.
//
//   node bench/start-up.bench.mjs
//
// Writes a checkpoint of random numbers (0.5 GB) to the temporary folder first and removes it at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adamW, crossEntropy, Graph, gradients, Session, Variables } from '@redef/autodiff';
import { createNativeDriver } from '@redef/autodiff/native';
import { loadWeights, openCheckpoint, parseConfig, robertaClassifier, saveWeights } from '@redef/models';

const config = parseConfig({
  model_type: 'roberta',
  vocab_size: 50265,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  max_position_embeddings: 514,
});
const driver = createNativeDriver();
const folder = mkdtempSync(join(tmpdir(), 'redef-bench-'));

function buildGraph() {
  const graph = new Graph();
  const logits = robertaClassifier(graph.input('ids', [8, 256], 'int32'), config, { training: true });
  return { graph, loss: crossEntropy(logits, graph.input('labels', [8], 'int32')) };
}

async function timed(name, work) {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name}: ${((performance.now() - wall) / 1000).toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s`,
  );
  return result;
}

{
  const { graph } = buildGraph();
  const variables = new Variables(driver);
  for (const parameter of graph.parameters) {
    const size = parameter.shape.reduce((product, length) => product * length, 1);
    variables.set(parameter, new Float32Array(size).fill(0.01));
  }
  await saveWeights(folder, graph, variables, config);
}

await timed('all', async () => {
  const { graph, loss } = await timed('  forward graph', buildGraph);
  const updates = await timed('  gradients and AdamW', () =>
    adamW({ weightDecay: 0.01 }).update(graph.parameters, gradients(loss, graph.parameters)),
  );
  const variables = new Variables(driver);
  await timed('  weights', async () => {
    const checkpoint = await openCheckpoint(folder);
    await loadWeights(graph, variables, checkpoint);
    await checkpoint.close();
  });
  await timed('  session', () => Session.create({ outputs: { loss }, updates, variables }));
});
rmSync(folder, { recursive: true });

import {
  cast,
  crossEntropy,
  dropout,
  embedding,
  Graph,
  linear,
  multiply,
  normal,
  notEqual,
  reshape,
  sum,
} from '@redef/autodiff';
import { createRng } from '@redef/core';
import type { Task } from '../src/index.js';

/** Which of two kinds of token is in the majority: a bag of embeddings, with dropout, padded with 0. */
export interface Bag {
  id: string;
  tokens: readonly number[];
  label: 0 | 1;
}

export function bags(seed: string, count: number): Bag[] {
  const rng = createRng(seed);
  return Array.from({ length: count }, (_, index) => {
    const label = rng.integer(2) as 0 | 1;
    const tokens = Array.from(
      { length: 3 + rng.integer(14) },
      () => 1 + 2 * rng.integer(20) + (rng.next() < 0.8 ? label : 1 - label),
    );
    return { id: `bag-${index}`, tokens, label };
  });
}

export function bagTask({ dropoutRate = 0.2, positiveWeight = 1 } = {}): Task<Bag> {
  return {
    idOf: ({ id }) => id,
    lengths: ({ tokens }) => [tokens.length],
    pad: ([longest]) => [Math.ceil(longest! / 4) * 4],
    weight: ({ label }) => (label === 1 ? positiveWeight : 1),
    build: ({ rows, lengths: [length] }) => {
      const graph = new Graph();
      const ids = graph.input('ids', [rows, length!], 'int32');
      const isToken = reshape(cast(notEqual(ids, 0), 'float32'), [rows, length!, 1]);
      const embedded = multiply(embedding(graph.parameter('table', [42, 8], normal(0.5)), ids), isToken); // (rows, length, 8)
      const hidden = sum(dropout(embedded, dropoutRate), [1]);
      const logits = linear(hidden, graph.parameter('weight', [2, 8], normal(0.5)), graph.parameter('bias', [2]));
      const labels = graph.input('labels', [rows], 'int32');
      const loss = crossEntropy(logits, labels, { classWeights: graph.constant([1, positiveWeight]) });
      return { loss, parameters: graph.parameters };
    },
    feeds: (items, { rows, lengths: [length] }) => {
      const ids = new Int32Array(rows * length!);
      const labels = new Int32Array(rows).fill(-100);
      for (const [row, { tokens, label }] of items.entries()) {
        ids.set(tokens, row * length!);
        labels[row] = label;
      }
      return { ids, labels };
    },
  };
}

import { shapeError } from '../errors.js';
import { sizeOf } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { broadcastTo, reshape } from './reshaping.js';
import { cast, equal } from './selection.js';

/** Up to this many rows, the gradient of a table is one matrix product with the one-hot ids: faster than scattering. */
const smallTable = 1100;

/**
 * Rows of a table by their numbers. Shapes: table (rows, features), ids int32 (any) to (any, features). A session refuses
 * ids outside the table that it is fed. Of those that the graph computes, ONNX Runtime refuses the ones past either end
 * and counts the other negative ones from the last row.
 */
export function embedding(table: Tensor, ids: Tensor): Tensor {
  if (table.shape.length !== 2 || ids.dtype !== 'int32') {
    throw shapeError('embedding', [table, ids], 'expected a table (rows, features) and int32 ids');
  }
  const [rows, features] = table.shape as [number, number];
  return table.graph.node('Gather', [table, ids], [...ids.shape, features], {
    attributes: { axis: 0 },
    range: { tensor: ids, below: rows },
    pullbacks: [
      (dy) => {
        const count = sizeOf(ids.shape);
        const perId = reshape(dy, [count, features]);
        return rows <= smallTable ? sumByOneHot(perId, ids, rows) : sumByScattering(perId, ids, rows);
      },
    ],
  });
}

function sumByOneHot(perId: Tensor, ids: Tensor, rows: number): Tensor {
  const { graph } = perId;
  const [count, features] = perId.shape as [number, number];
  const numbers = graph.constant(
    Int32Array.from({ length: rows }, (_, row) => row),
    [1, rows],
    'int32',
  );
  const oneHot = cast(equal(numbers, reshape(ids, [count, 1])), perId.dtype); // (count, rows)
  return graph.node('Gemm', [oneHot, perId], [rows, features], {
    attributes: { transA: 1 },
    range: { tensor: ids, below: rows },
  });
}

/** `ScatterND` would be faster, but ONNX Runtime adds equal ids from several threads at once and loses some of them. */
function sumByScattering(perId: Tensor, ids: Tensor, rows: number): Tensor {
  const { graph } = perId;
  const zeros = broadcastTo(graph.constant(0, [1, 1], perId.dtype), [rows, perId.shape[1]!]);
  const places = broadcastTo(reshape(ids, [perId.shape[0]!, 1]), perId.shape);
  return graph.node('ScatterElements', [zeros, places, perId], zeros.shape, {
    attributes: { axis: 0, reduction: 'add' },
    range: { tensor: ids, below: rows },
  });
}

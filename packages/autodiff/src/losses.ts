import { shapeError } from './errors.js';
import { add, divide, multiply, negate, subtract } from './ops/arithmetic.js';
import { abs, exp, log, relu, sigmoid } from './ops/functions.js';
import { mean, sum } from './ops/reductions.js';
import { reshape } from './ops/reshaping.js';
import { equal, where } from './ops/selection.js';
import { logSoftmax } from './ops/softmax.js';
import { sameShape } from './shape.js';
import type { Tensor } from './tensor.js';

export interface CrossEntropyOptions {
  /** Weight of each class (classes); the mean is then over the weights, as PyTorch's. Default: all 1. */
  classWeights?: Tensor;
  /** A label whose rows do not count. The loss of a batch with no other label is NaN, as PyTorch's. Default -100. */
  ignoreLabel?: number;
}

/**
 * Mean cross-entropy of the softmax of `logits` (rows, classes) with integer `labels` (rows, int32): a scalar. Softmax
 * and logarithm are taken together, so large logits do no harm. A session refuses labels that are no class.
 */
export function crossEntropy(
  logits: Tensor,
  labels: Tensor,
  { classWeights, ignoreLabel = -100 }: CrossEntropyOptions = {},
): Tensor {
  const [rows, classes] = logits.shape as [number, number];
  if (logits.shape.length !== 2 || !sameShape(labels.shape, [rows]) || labels.dtype !== 'int32') {
    throw shapeError('crossEntropy', [logits, labels], 'expected logits (rows, classes) and int32 labels (rows)');
  }
  if (classWeights && !sameShape(classWeights.shape, [classes])) {
    throw shapeError('crossEntropy', [logits, classWeights], 'expected one weight for each class');
  }
  const { graph } = logits;
  const ignored = equal(labels, ignoreLabel);
  const range = { tensor: labels, below: classes, except: ignoreLabel };
  const counted = graph.node('Where', [ignored, graph.constant(0, [], 'int32'), labels], [rows], {
    dtype: 'int32',
    range,
  });
  const target = reshape(counted, [rows, 1]);
  const one = graph.constant(1, [], logits.dtype);
  const weight = classWeights ? graph.node('Gather', [classWeights, target], [rows, 1]) : one;
  const rowWeight = where(reshape(ignored, [rows, 1]), 0, weight); // (rows, 1)
  const share = divide(rowWeight, sum(rowWeight));
  return sum(multiply(negativeLogLikelihood(logits, target), share));
}

/**
 * -log softmax(logits) at the target: (rows, classes), (rows, 1) to (rows, 1). Its derivative, softmax - one-hot, is
 * written as one scatter into the softmax, past the nodes of the forward pass.
 */
function negativeLogLikelihood(logits: Tensor, target: Tensor): Tensor {
  const { graph, shape } = logits;
  const logProbabilities = logSoftmax(logits);
  const picked = graph.node('GatherElements', [logProbabilities, target], target.shape, { attributes: { axis: 1 } });
  return graph.node('Neg', [picked], target.shape, {
    through: [logits],
    pullbacks: [
      (dy) => {
        const base = multiply(exp(logProbabilities), dy);
        const attributes = { axis: 1, reduction: 'add' };
        return graph.node('ScatterElements', [base, target, negate(dy)], shape, { attributes });
      },
    ],
  });
}

/** Mean cross-entropy of sigmoid(logits) with labels from 0 to 1, both of one shape: a scalar. */
export function binaryCrossEntropy(logits: Tensor, labels: Tensor): Tensor {
  if (!sameShape(logits.shape, labels.shape)) {
    throw shapeError('binaryCrossEntropy', [logits, labels], 'expected equal shapes');
  }
  return mean(subtract(softplus(logits), multiply(logits, labels)));
}

/** log(1 + exp(x)) without overflow. Its parts have a corner at 0, where it has none: the derivative is given whole. */
function softplus(x: Tensor): Tensor {
  const parts = [relu(x), log(add(exp(negate(abs(x))), 1))];
  return x.graph.node('Add', parts, x.shape, { through: [x], pullbacks: [(dy) => multiply(dy, sigmoid(x))] });
}

/** Mean of the squared differences: a scalar. */
export function meanSquaredError(prediction: Tensor, target: Tensor): Tensor {
  if (!sameShape(prediction.shape, target.shape)) {
    throw shapeError('meanSquaredError', [prediction, target], 'expected equal shapes');
  }
  const difference = subtract(prediction, target);
  return mean(multiply(difference, difference));
}

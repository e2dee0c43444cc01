import type { SparseVector } from './features.js';

/** Weights and bias of a logistic regression, with AdaGrad's sums of squared gradients. */
export class LogisticRegression {
  readonly weights: Float64Array;
  bias = 0;
  readonly #squares: Float64Array;
  #biasSquares = 0;

  constructor(readonly bucketCount: number) {
    this.weights = new Float64Array(bucketCount);
    this.#squares = new Float64Array(bucketCount);
  }

  /** The log-odds that the input is positive. */
  logit({ buckets, values }: SparseVector): number {
    let sum = this.bias;
    for (let i = 0; i < buckets.length; i++) sum += this.weights[buckets[i]!]! * values[i]!;
    return sum;
  }

  /**
   * One AdaGrad step (Duchi et al., 2011) on one example. L2 is applied to the weights that the example touches.
   *
   * @returns the weighted loss before the step
   */
  update(input: SparseVector, label: 0 | 1, options: { weight: number; learningRate: number; l2: number }): number {
    const { weight, learningRate, l2 } = options;
    const logit = this.logit(input);
    const slope = weight * (sigmoid(logit) - label);
    const { buckets, values } = input;
    for (let i = 0; i < buckets.length; i++) {
      const bucket = buckets[i]!;
      const gradient = slope * values[i]! + l2 * this.weights[bucket]!;
      this.#squares[bucket]! += gradient * gradient;
      if (gradient !== 0) this.weights[bucket]! -= (learningRate * gradient) / Math.sqrt(this.#squares[bucket]!);
    }
    this.#biasSquares += slope * slope;
    if (slope !== 0) this.bias -= (learningRate * slope) / Math.sqrt(this.#biasSquares);
    return weight * softplus(label === 1 ? -logit : logit);
  }
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** log(1 + e^x) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

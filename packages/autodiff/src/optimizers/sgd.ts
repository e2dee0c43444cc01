import { checkOption } from '../errors.js';
import { add, multiply, subtract } from '../ops/arithmetic.js';
import { checkStep, commonGraph, type Optimizer } from './optimizer.js';

export interface SgdOptions {
  /** Share of the last velocity that is kept. Default 0: none, and no state. */
  momentum?: number;
  /** L2 penalty, added to the gradient as `weightDecay × parameter`. Default 0. */
  weightDecay?: number;
}

/** Stochastic gradient descent; velocity = momentum × velocity + gradient, as PyTorch's `SGD`. */
export function sgd({ momentum = 0, weightDecay = 0 }: SgdOptions = {}): Optimizer {
  checkOption(momentum >= 0 && Number.isFinite(momentum), 'sgd', 'momentum of at least 0', momentum);
  checkOption(weightDecay >= 0 && Number.isFinite(weightDecay), 'sgd', 'weightDecay of at least 0', weightDecay);
  return {
    update: (parameters, gradients) => {
      const graph = commonGraph('sgd', parameters, gradients);
      const learningRate = graph.input('sgd.learningRate', []);
      return parameters.flatMap((parameter, index) => {
        let direction = gradients[index]!;
        if (weightDecay > 0) direction = add(direction, multiply(parameter, weightDecay));
        if (momentum === 0)
          return [{ variable: parameter, next: subtract(parameter, multiply(direction, learningRate)) }];
        const velocity = graph.state(`sgd.velocity/${parameter.name}`, parameter.shape);
        const nextVelocity = add(multiply(velocity, momentum), direction);
        return [
          { variable: velocity, next: nextVelocity },
          { variable: parameter, next: subtract(parameter, multiply(nextVelocity, learningRate)) },
        ];
      });
    },
    feeds: (step, learningRate) => {
      checkStep('sgd', step, learningRate);
      return { 'sgd.learningRate': learningRate };
    },
  };
}

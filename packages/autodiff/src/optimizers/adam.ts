import { checkOption } from '../errors.js';
import { add, divide, multiply, subtract } from '../ops/arithmetic.js';
import { sqrt } from '../ops/functions.js';
import { checkStep, commonGraph, type Optimizer } from './optimizer.js';

export interface AdamOptions {
  /** Decay rates of the two moments. Default 0.9 and 0.999. */
  beta1?: number;
  beta2?: number;
  /** Added to the root of the second moment. Default 1e-8. */
  epsilon?: number;
  /** Default 0 for Adam, 0.01 for AdamW. */
  weightDecay?: number;
  /** Which parameters decay, by name: many leave out biases and normalization weights. Default: all. */
  decays?: (name: string) => boolean;
}

/** Adam (Kingma and Ba, 2015). Weight decay is an L2 penalty: a part of the gradient, as PyTorch's `Adam`. */
export function adam(options: AdamOptions = {}): Optimizer {
  return adamFamily('adam', false, options);
}

/** Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as PyTorch's `AdamW`. */
export function adamW(options: AdamOptions = {}): Optimizer {
  return adamFamily('adamw', true, { weightDecay: 0.01, ...options });
}

function adamFamily(
  name: string,
  decoupled: boolean,
  { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decays = () => true }: AdamOptions,
): Optimizer {
  checkOption(beta1 >= 0 && beta1 < 1, name, 'beta1 of at least 0 and below 1', beta1);
  checkOption(beta2 >= 0 && beta2 < 1, name, 'beta2 of at least 0 and below 1', beta2);
  checkOption(epsilon >= 0 && Number.isFinite(epsilon), name, 'epsilon of at least 0', epsilon);
  checkOption(weightDecay >= 0 && Number.isFinite(weightDecay), name, 'weightDecay of at least 0', weightDecay);
  return {
    update: (parameters, gradients) => {
      const graph = commonGraph(name, parameters, gradients);
      const stepSize = graph.input(`${name}.stepSize`, []);
      const secondScale = graph.input(`${name}.secondScale`, []);
      const keep = decoupled && weightDecay > 0 ? graph.input(`${name}.keep`, []) : undefined;

      return parameters.flatMap((parameter, index) => {
        const decaying = weightDecay > 0 && decays(parameter.name);
        let gradient = gradients[index]!;
        if (decaying && !decoupled) gradient = add(gradient, multiply(parameter, weightDecay));
        const shrunk = decaying && keep ? multiply(parameter, keep) : parameter;

        // The moments without their factors 1 - beta, which step size and second scale take on: fewer passes.
        const first = graph.state(`${name}.first/${parameter.name}`, parameter.shape);
        const second = graph.state(`${name}.second/${parameter.name}`, parameter.shape);
        const nextFirst = add(multiply(first, beta1), gradient);
        const nextSecond = add(multiply(second, beta2), multiply(gradient, gradient));
        const deviation = add(multiply(sqrt(nextSecond), secondScale), epsilon);
        return [
          { variable: first, next: nextFirst },
          { variable: second, next: nextSecond },
          { variable: parameter, next: subtract(shrunk, divide(multiply(nextFirst, stepSize), deviation)) },
        ];
      });
    },

    // The moments start at 0, which biases them low: 1 - beta ** step corrects for that.
    feeds: (step, learningRate) => {
      checkStep(name, step, learningRate);
      return {
        [`${name}.stepSize`]: (learningRate * (1 - beta1)) / (1 - beta1 ** step),
        [`${name}.secondScale`]: Math.sqrt((1 - beta2) / (1 - beta2 ** step)),
        ...(decoupled && weightDecay > 0 ? { [`${name}.keep`]: 1 - learningRate * weightDecay } : {}),
      };
    },
  };
}

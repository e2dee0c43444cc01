import { add, divide, type Graph, gradients, less, multiply, type Tensor, type Update, where } from '@redef/autodiff';

/** Of PyTorch's GradScaler. */
const first = 2 ** 16;
const stepsToDouble = 2000;
const largestNumber = 3.4e38;

/**
 * Dynamic loss scaling for half precision (Micikevicius et al., 2018): gradients are those of the loss times a factor, so
 * that small ones do not vanish, divided by it in single precision. A step whose gradients overflow changes no weight and
 * halves the factor; so many steps without one double it. The factor is a variable beside the weights.
 */
export function createLossScale(graph: Graph) {
  const scale = graph.state('fit.loss-scale', [], () => Float32Array.of(first));
  return {
    gradients: (loss: Tensor, parameters: readonly Tensor[]): Tensor[] =>
      gradients(multiply(loss, scale), parameters).map((gradient) => divide(gradient, scale)),

    /** @param norm of all gradients: not finite where one is not */
    guard: (updates: readonly Update[], norm: Tensor): Update[] => {
      const holds = less(norm, largestNumber); // false for infinity and for what is no number
      const done = graph.state('fit.loss-scale-steps', []);
      const counted = add(done, 1);
      const goesOn = less(counted, stepsToDouble);
      const afterGood = where(goesOn, scale, multiply(scale, 2));
      return [
        ...updates.map((update) => onlyWhere(holds, update)),
        { variable: scale, next: where(holds, afterGood, multiply(scale, 0.5)) },
        { variable: done, next: where(holds, where(goesOn, counted, 0), 0) },
      ];
    },
  };
}

/** The update where the condition (a scalar) holds; else the variable stays as it is. */
export function onlyWhere(condition: Tensor, { variable, next }: Update): Update {
  return { variable, next: where(condition, next, variable) };
}

import { createRng } from '@redef/core';
import type { Driver } from './driver.js';
import { gradients } from './gradients.js';
import { Graph, type GraphOptions } from './graph.js';
import { uniform } from './initializers.js';
import { createOnnxRuntimeDriver } from './onnxruntime-driver.js';
import { multiply } from './ops/arithmetic.js';
import { sum } from './ops/reductions.js';
import { Session } from './session.js';
import { type Shape, sizeOf } from './shape.js';
import type { Tensor } from './tensor.js';

export interface GradientCheckOptions extends GraphOptions {
  /** Distance of the two points of a central difference from the middle. Default 1e-5 in float64, 1e-2 in float32. */
  distance?: number;
  /** What computes. Default: ONNX Runtime on the CPU. */
  driver?: Driver;
  /** Maps the random operands, uniform in [-1, 1), into the op's domain. Default: as they are. */
  place?: (value: number) => number;
}

/**
 * Compares the gradients of an op with central finite differences. The loss is a fixed random combination of the op's
 * outputs, so that every element of the Jacobian takes part.
 *
 * @param shapes of the operands with a gradient, by name
 * @returns the largest |difference| / max(1, |finite difference|) over all elements of all operands
 */
export async function gradientError<Name extends string>(
  shapes: Readonly<Record<Name, Shape>>,
  op: (operands: Record<Name, Tensor>, graph: Graph) => Tensor,
  {
    float = 'float64',
    driver = createOnnxRuntimeDriver(),
    distance = float === 'float64' ? 1e-5 : 1e-2,
    place = (value) => value,
  }: GradientCheckOptions = {},
): Promise<number> {
  const graph = new Graph({ float });
  const names = Object.keys(shapes) as Name[];
  const operands = Object.fromEntries(names.map((name) => [name, graph.input(name, shapes[name])])) as Record<
    Name,
    Tensor
  >;
  const output = op(operands, graph);
  const weights = graph.constant(uniform(1)(output.shape, createRng('weights')), output.shape);
  const loss = sum(multiply(output, weights));
  const analytic = gradients(
    loss,
    names.map((name) => operands[name]),
  );
  const outputs = { loss, ...Object.fromEntries(names.map((name, index) => [`d ${name}`, analytic[index]!])) };
  const session = await Session.create<string>({ outputs, driver });

  const rng = createRng('operands');
  const feeds = Object.fromEntries(
    names.map((name) => [name, Array.from({ length: sizeOf(shapes[name]) }, () => place(2 * rng.next() - 1))]),
  );
  const lossAt = async () => Number((await session.run(feeds, { seed: 0 })).loss![0]);
  const atMiddle = await session.run(feeds, { seed: 0 });
  let worst = 0;
  for (const name of names) {
    const values = feeds[name]!;
    for (const [index, middle] of values.entries()) {
      values[index] = middle + distance;
      const above = await lossAt();
      values[index] = middle - distance;
      const below = await lossAt();
      values[index] = middle;
      const difference = (above - below) / (2 * distance);
      const error = Math.abs(Number(atMiddle[`d ${name}`]![index]) - difference) / Math.max(1, Math.abs(difference));
      worst = Math.max(worst, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error);
    }
  }
  await session.close();
  return worst;
}

/** Sizes of a tensor's axes, outermost first; `[]` is a scalar. Every size is known when the graph is written. */
export type Shape = readonly number[];

/** Number of elements. */
export function sizeOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((size, axis) => size === b[axis]);
}

/** The shape that both broadcast to (NumPy's rule: align at the last axis, 1 stretches), or `undefined` if none. */
export function broadcast(a: Shape, b: Shape): Shape | undefined {
  const rank = Math.max(a.length, b.length);
  const result: number[] = [];
  for (let axis = -rank; axis < 0; axis++) {
    const [left, right] = [a.at(axis) ?? 1, b.at(axis) ?? 1];
    if (axis < -a.length) result.push(right);
    else if (axis < -b.length) result.push(left);
    else if (left === right || right === 1) result.push(left);
    else if (left === 1) result.push(right);
    else return undefined;
  }
  return result;
}

/** The axes along which `from` was stretched, or that it lacked, when it was broadcast to `to`. */
export function stretchedAxes(from: Shape, to: Shape): number[] {
  const offset = to.length - from.length;
  return to.flatMap((size, axis) => (axis < offset || (from[axis - offset] === 1 && size !== 1) ? [axis] : []));
}

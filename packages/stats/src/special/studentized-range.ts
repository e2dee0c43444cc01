import { invert } from './invert.js';
import { normalTail } from './tails.js';

// The studentized range of k standard normals with known variance, as Nemenyi's test needs it. Both integrals are over
// the largest of the k values; the trapezoid rule on the whole line converges exponentially for such integrands.

const step = 1 / 8;
const reach = 9; // beyond, the normal density adds less than 1e-18
const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

function overLargest(q: number, integrand: (z: number) => number): number {
  let sum = 0;
  for (let z = -reach; z <= reach + q; z += step) sum += integrand(z);
  return sum * step;
}

/** P(range of k standard normals > q), q >= 0, as a tail: it keeps its digits. */
export function studentizedRangeTail(q: number, k: number): number {
  if (q <= 0) return 1;
  return Math.min(
    1,
    k *
      overLargest(q, (z) => {
        const below = normalTail(-z);
        const outside = normalTail(q - z); // P(Z < z - q)
        // below^(k-1) - (below - outside)^(k-1)
        return -density(z) * below ** (k - 1) * Math.expm1((k - 1) * Math.log1p(-outside / below));
      }),
  );
}

/** The q with P(range of k standard normals > q) = `p`. */
export function studentizedRangeUpperQuantile(p: number, k: number): number {
  return invert({
    p,
    probability: (q) => studentizedRangeTail(q, k),
    density: (q) =>
      k *
      (k - 1) *
      overLargest(q, (z) => density(z) * density(z - q) * (normalTail(-z) - normalTail(q - z)) ** (k - 2)),
    rising: false,
    start: 3,
    bracket: [0, 80],
  });
}

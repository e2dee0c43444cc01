import { createHash } from 'node:crypto';
import { RedefError } from './errors.js';

/**
 * A seeded stream of random numbers. Everything random in these packages takes one as an argument: the same seed gives
 * the same result whatever the order or number of workers, since each use draws from its own `fork`.
 */
export interface Rng {
  /** Uniform in [0, 1), 53 random bits. */
  next(): number;
  /** Uniform integer in [0, bound); `bound` an integer from 1 to 2^53. */
  integer(bound: number): number;
  /** Standard normal (Box-Muller, one value a call). */
  normal(): number;
  /** A new array in uniformly random order (Fisher-Yates). */
  shuffle<T>(items: readonly T[]): T[];
  /** An independent stream named by `label`. It depends on this stream's seed and the label, never on how far this one has run. */
  fork(label: string | number): Rng;
}

/**
 * xoshiro128** (Blackman and Vigna, 2018), its 128-bit state taken from SHA-256 of the seed.
 *
 * @throws `RedefError` `invalid-option` for a seed or label that is no text and no finite number, and a bound out of range
 */
export function createRng(seed: number | string): Rng {
  requireName(seed, 'seed');
  const digest = createHash('sha256').update(`redef.rng/1 ${seed}`).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let d = digest.readUInt32LE(12) | 1; // an all-zero state would stay there

  const next32 = (): number => {
    const scrambled = Math.imul(b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  const next = (): number => (next32() * 2 ** 21 + (next32() >>> 11)) / 2 ** 53;
  const integer = (bound: number): number => {
    if (!(Number.isInteger(bound) && bound >= 1 && bound <= 2 ** 53)) {
      throw new RedefError(`a bound must be an integer from 1 to 2^53, got ${String(bound)}`, {
        code: 'invalid-option',
        remedy: 'Draw only where there is something to choose from.',
      });
    }
    return Math.floor(next() * bound);
  };

  return {
    next,
    integer,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    shuffle: (items) => {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = integer(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
      }
      return shuffled;
    },
    fork: (label) => {
      requireName(label, 'label');
      return createRng(`${seed}/${JSON.stringify(label)}`);
    },
  };
}

/** What else there is would pass as its text, which several values share: `NaN`, `undefined`, `[object Object]`. */
function requireName(value: unknown, name: 'seed' | 'label'): void {
  if (typeof value === 'string' || Number.isFinite(value)) return;
  const found = typeof value === 'number' ? String(value) : value === null ? 'null' : `a value of type ${typeof value}`;
  throw new RedefError(`a ${name} must be a text or a finite number, got ${found}`, {
    code: 'invalid-option',
    remedy: `Pass a ${name} such as 1 or 'bootstrap'.`,
  });
}

// The inputs of the golden cases, drawn bit for bit as fixtures/inputs.py draws them.

const modulus = 2147483647;

export class Stream {
  private x: number;

  constructor(family: number, case_: number) {
    this.x = (family * 1000003 + (case_ + 1) * 7919) % modulus;
    for (let i = 0; i < 3; i++) this.next();
  }

  next(): number {
    this.x = (48271 * this.x) % modulus;
    return this.x / modulus;
  }

  /** Uniform in low..high, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  noise(): number {
    return (this.next() + this.next() + this.next() - 1.5) * 2;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)]!;
  }
}

const effects = [0, 0.1, 0.3, 0.5, 1, 2, 5, 20];
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const onGrid = (value: number, grid: number) => (grid > 0 ? Math.floor(value * grid) / grid : value);

export function pairs(case_: number, family = 1, most = 30): { a: number[]; b: number[] } {
  const s = new Stream(family, case_);
  const n = s.integer(2, most);
  const effect = s.pick(effects);
  const a: number[] = [];
  const b: number[] = [];
  for (let i = 0; i < n; i++) {
    const base = s.noise();
    a.push(base + effect);
    b.push(base + s.noise());
  }
  return { a, b };
}

export function tiedPairs(case_: number, family = 2, least = 2, most = 40): { a: number[]; b: number[] } {
  const s = new Stream(family, case_);
  const n = s.integer(least, most);
  const effect = s.pick([0, 0, 0.25, 0.5, 1]);
  const a: number[] = [];
  const b: number[] = [];
  for (let i = 0; i < n; i++) {
    a.push(Math.floor(s.noise() * 4) / 4 + effect);
    b.push(Math.floor(s.noise() * 4) / 4);
  }
  if (a.every((x, i) => x === b[i])) a[0]! += 1;
  return { a, b };
}

export function scored(case_: number, family = 3, most = 200): { truth: number[]; scores: number[] } {
  const s = new Stream(family, case_);
  const n = s.integer(2, most);
  const rate = s.pick([0, 0.05, 0.2, 0.5, 0.9, 1]);
  const signal = s.pick([0, 0.2, 0.5]);
  const grid = s.pick([0, 5, 20]);
  const truth: number[] = [];
  const scores: number[] = [];
  for (let i = 0; i < n; i++) {
    const label = s.next() < rate ? 1 : 0;
    truth.push(label);
    scores.push(onGrid((1 - signal) * s.next() + signal * label, grid));
  }
  return { truth, scores };
}

export function efforts(case_: number, n: number, family = 4): number[] {
  const s = new Stream(family, case_);
  return times(n, () => s.integer(case_ % 3 === 0 ? 0 : 1, 40));
}

export function twoWay(case_: number, family = 5): number[][][] {
  const s = new Stream(family, case_);
  const subjects = s.integer(3, 16);
  const a = s.integer(2, 5);
  const b = s.integer(2, 6);
  const effectA = s.pick(effects);
  const effectB = s.pick(effects);
  return times(subjects, () => {
    const own = s.noise();
    return times(a, (i) => times(b, (j) => own + s.noise() + effectA * i + effectB * (j % 2)));
  });
}

export function nearLevels(case_: number): number[][][] {
  return twoWay(case_, 21).map((table) =>
    table.map((row) => {
      const last = row.at(-1)!;
      const before = row.at(-2)!;
      return [...row.slice(0, -1), before + (last - before) / 4096];
    }),
  );
}

export function ranked(case_: number, family = 6): number[][] {
  const s = new Stream(family, case_);
  const subjects = s.integer(2, 20);
  const conditions = s.integer(3, 8);
  const grid = s.pick([0, 4]);
  const effect = s.pick([0, 0.3, 1]);
  return times(subjects, () => times(conditions, (c) => onGrid(s.noise() + effect * c, grid)));
}

export function twoRaters(case_: number, family = 7): { a: number[]; b: number[]; k: number } {
  const s = new Stream(family, case_);
  const n = s.integer(5, 80);
  const k = s.integer(2, 6);
  const agree = s.pick([0, 0.5, 0.9]);
  const a: number[] = [];
  const b: number[] = [];
  for (let i = 0; i < n; i++) {
    const x = s.integer(0, k - 1);
    const y = s.integer(0, k - 1);
    a.push(x);
    b.push(s.next() < agree ? x : y);
  }
  return { a: [...a, 0, 1], b: [...b, 0, 1], k };
}

export function ratingCounts(case_: number, family = 8): number[][] {
  const s = new Stream(family, case_);
  const subjects = s.integer(2, 30);
  const k = s.integer(2, 6);
  const raters = s.integer(2, 9);
  const agree = s.pick([0, 0.5, 0.9]);
  const counts = times(subjects, (subject) => {
    const row = new Array<number>(k).fill(0);
    for (let rater = 0; rater < raters; rater++) {
      const other = s.integer(0, k - 1);
      row[s.next() < agree ? subject % k : other]! += 1;
    }
    return row;
  });
  counts[0] = times(k, (c) => (c === 0 ? raters : 0));
  counts[1] = times(k, (c) => (c === 1 ? raters : 0));
  return counts;
}

export function ratings(case_: number, family = 9): (number | null)[][] {
  const s = new Stream(family, case_);
  const raters = s.integer(2, 5);
  const units = s.integer(3, 25);
  const agree = s.pick([0, 0.5, 0.9]);
  const missing = s.pick([0, 0.1, 0.4]);
  const columns = times(units, () => {
    const first = s.integer(1, 5);
    return times(raters, () => {
      const other = s.integer(1, 5);
      const value = s.next() < agree ? first : other;
      return s.next() < missing ? null : value;
    });
  });
  columns[0] = times(raters, () => 1);
  columns[1] = times(raters, () => 2);
  return times(raters, (r) => columns.map((column) => column[r]!));
}

export function proportion(case_: number, family = 10): { successes: number; n: number; level: number } {
  const s = new Stream(family, case_);
  const n = s.integer(1, s.pick([10, 100, 10000]));
  return { successes: s.integer(0, n), n, level: s.pick([0.8, 0.9, 0.95, 0.99]) };
}

export function twoModels(case_: number, family = 11): { truth: number[]; first: number[]; second: number[] } {
  const s = new Stream(family, case_);
  const n = s.integer(8, 60);
  const grid = s.pick([0, 10]);
  const signal = s.pick([0, 0.3, 0.6]);
  const rows = times(n, (i) => {
    const label = i < 2 || (i >= 4 && s.next() < 0.4) ? 1 : 0;
    const x = s.next() * (1 - signal) + signal * label;
    const y = s.next() * 0.7 + 0.3 * x;
    return { label, first: onGrid(x, grid), second: onGrid(y, grid) };
  });
  return { truth: rows.map((r) => r.label), first: rows.map((r) => r.first), second: rows.map((r) => r.second) };
}

export function pValues(case_: number, family = 12): number[] {
  const s = new Stream(family, case_);
  const n = s.integer(1, 12);
  const grid = s.pick([0, 20]);
  return times(n, () => {
    const u = s.next();
    return onGrid(u * u * u, grid);
  });
}

export function resampling(case_: number, family = 13): { differences: number[]; resamples: number[][] } {
  const s = new Stream(family, case_);
  const n = s.integer(3, 20);
  const skew = s.pick([0, 1, 3]);
  const differences = times(n, () => {
    const u = s.noise();
    return u + skew * u * u;
  });
  return { differences, resamples: times(199, () => times(n, () => s.integer(0, n - 1))) };
}

export function planning(case_: number, family = 14) {
  const s = new Stream(family, case_);
  return {
    n: s.integer(2, s.pick([5, 12, 40, 200])),
    sd: 0.25 + s.next() * 4,
    alpha: s.pick([0.001, 0.01, 0.05, 0.1]),
    power: s.pick([0.5, 0.8, 0.9, 0.99]),
    twoSided: s.next() < 0.5,
    effect: 0.2 + 2 * s.next(),
  };
}

export function tailPoint(case_: number, family = 15) {
  const s = new Stream(family, case_);
  return {
    z: s.next() * 9.5 - 1.5,
    t: s.next() * s.pick([3, 20, 200]),
    df: s.pick([1, 2, 3, 5, 9, 29, 99, 1000, 100000]) * (s.next() < 0.5 ? 1 : 0.7),
    f: s.next() * s.pick([2, 10, 60]),
    df1: s.integer(1, 12) * (s.next() < 0.5 ? 1 : 0.6),
    df2: s.integer(1, 108) * (s.next() < 0.5 ? 1 : 0.6),
    x: s.next() * s.pick([5, 30, 120]),
    k: s.integer(1, 40),
    q: s.next() * 12,
    groups: s.integer(2, 12),
  };
}

export function quantilePoint(case_: number, family = 16) {
  const s = new Stream(family, case_);
  let p = s.next();
  for (let i = s.integer(0, 6); i > 0; i--) p = p * s.next();
  return { p, df: s.pick([1, 2, 3, 9, 29, 1000]), a: s.integer(1, 300), b: s.integer(1, 300) };
}

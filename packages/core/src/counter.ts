/** Named counts whose JSON form has its keys in code-unit order. */
export class Counter {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, this.get(name) + by);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

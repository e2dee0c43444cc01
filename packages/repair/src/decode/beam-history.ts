/** Back-pointers of a beam: memory is its width x its length, whatever the number of finished sequences. */
export class BeamHistory {
  readonly #parents: Int32Array[] = [];
  readonly #tokens: Int32Array[] = [];

  /** Steps so far. */
  get length(): number {
    return this.#tokens.length;
  }

  /** Adds a step: slot `i` goes on from slot `parents[i]` of the step before with `tokens[i]`. */
  push(parents: Int32Array, tokens: Int32Array): void {
    this.#parents.push(parents);
    this.#tokens.push(tokens);
  }

  /** The tokens that lead to a slot of a step (0-based); none for step -1. */
  trace(step: number, slot: number): Int32Array {
    const sequence = new Int32Array(step + 1);
    for (let at = step, from = slot; at >= 0; at--) {
      sequence[at] = this.#tokens[at]![from]!;
      from = this.#parents[at]![from]!;
    }
    return sequence;
  }
}

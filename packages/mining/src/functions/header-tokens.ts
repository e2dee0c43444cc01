/** Token kinds of a declaration header; any other kind is the character code of the punctuation itself. */
export const tokenKind = { identifier: 1, number: 2, string: 3, scope: 4, arrow: 5, comparison: 6, braces: 7 } as const;

/** What stands between the last declaration and the `{` at hand, as parallel arrays that are reused from header to header. */
export class HeaderTokens {
  kinds: number[] = [];
  starts: number[] = [];
  ends: number[] = [];
  lines: number[] = [];
  count = 0;

  /** A header that never ends (a macro table without braces) is not one: past this it is let go. */
  static readonly limit = 4096;

  push(kind: number, start: number, end: number, line: number): void {
    if (this.count >= HeaderTokens.limit) this.count = 0;
    const index = this.count++;
    this.kinds[index] = kind;
    this.starts[index] = start;
    this.ends[index] = end;
    this.lines[index] = line;
  }

  copy(): HeaderTokens {
    const copy = new HeaderTokens();
    copy.assign(this);
    return copy;
  }

  assign(other: HeaderTokens): void {
    this.count = other.count;
    for (let i = 0; i < other.count; i++) {
      this.kinds[i] = other.kinds[i]!;
      this.starts[i] = other.starts[i]!;
      this.ends[i] = other.ends[i]!;
      this.lines[i] = other.lines[i]!;
    }
  }
}

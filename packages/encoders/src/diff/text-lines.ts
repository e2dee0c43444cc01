/** A text by its lines, without their `\n`; the empty text has none. A `\r` stays part of its line, so nothing is lost. */
export class TextLines {
  readonly length: number;
  readonly text: string;
  /** Where each line starts, and at last where one more would. */
  readonly #starts: number[];

  constructor(text: string) {
    this.text = text;
    this.#starts = [0];
    if (text !== '') {
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) this.#starts.push(end + 1);
      this.#starts.push(text.length + 1);
    }
    this.length = this.#starts.length - 1;
  }

  line(index: number): string {
    return this.join(index, index + 1);
  }

  /** The lines from `start` to before `end`, with `\n` between them. */
  join(start: number, end: number): string {
    return start < end ? this.text.slice(this.#starts[start], this.#starts[end]! - 1) : '';
  }

  list(start = 0, end = this.length): string[] {
    const lines: string[] = [];
    for (let i = start; i < end; i++) lines.push(this.line(i));
    return lines;
  }

  /** A number of each line from `start` to before `end`, made of its length and eight of its characters: equal lines have equal ones. */
  samples(start: number, end: number): number[] {
    const samples: number[] = [];
    for (let i = start; i < end; i++) {
      const from = this.#starts[i]!;
      const length = this.#starts[i + 1]! - 1 - from;
      let sample = length;
      for (let k = 1; k < 16 && length > 0; k += 2) {
        sample = Math.imul(sample, 31) + this.text.charCodeAt(from + ((k * length) >> 4));
      }
      samples.push(sample | 0);
    }
    return samples;
  }

  /** Lines at the start that are those of `other`. Whole stretches of text are compared, not lines. */
  commonStart(other: TextLines): number {
    const shared = commonStart(this.text, other.text);
    const most = Math.min(this.length, other.length);
    const lines = lastWhere(most, (k) => this.#starts[k]! - 1 <= shared);
    return this.#starts[lines] === other.#starts[lines] ? lines : lines - 1;
  }

  /** Lines at the end that are those of `other`, at most `most`, which neither text has fewer of. */
  commonEnd(other: TextLines, most: number): number {
    const shared = commonEnd(this.text, other.text);
    const lines = lastWhere(most, (k) => this.#fromEnd(k) <= shared);
    return this.#fromEnd(lines) === other.#fromEnd(lines) ? lines : lines - 1;
  }

  /** Characters of the last `lines` lines. */
  #fromEnd(lines: number): number {
    return lines === 0 ? 0 : this.text.length - this.#starts[this.length - lines]!;
  }
}

/** The largest k from 0 to `most` for which `holds`, which does so up to some k; 0 is not asked. */
function lastWhere(most: number, holds: (k: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** UTF-16 units at the start of both texts. The runtime compares stretches a hundred times as fast as single units. */
function commonStart(a: string, b: string): number {
  return growWhile(Math.min(a.length, b.length), (from, to) => a.slice(from, to) === b.slice(from, to));
}

function commonEnd(a: string, b: string): number {
  return growWhile(
    Math.min(a.length, b.length),
    (from, to) => a.slice(a.length - to, a.length - from) === b.slice(b.length - to, b.length - from),
  );
}

/** How far two sequences go together, at most `most`, by steps that double and then halve. */
function growWhile(most: number, equal: (from: number, to: number) => boolean): number {
  let length = 0;
  let step = 64;
  while (length + step <= most && equal(length, length + step)) {
    length += step;
    step *= 2;
  }
  for (; step >= 1; step >>= 1) {
    if (length + step <= most && equal(length, length + step)) length += step;
  }
  return length;
}

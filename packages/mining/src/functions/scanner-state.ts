import { HeaderTokens } from './header-tokens.js';

/** Why the bounds of a function may be wrong, as bits. */
export const doubt = {
  /** The arms of an `#if` in it open or close different numbers of braces. */
  conditional: 1,
  /** Its header was read by a guess. */
  header: 2,
  /** The braces of the file do not balance. */
  unbalanced: 4,
} as const;

/** A function definition's place in its file. Lines are 1-based and inclusive, offsets are bytes. */
export interface FunctionSpan {
  /** As written, with the classes around it: `Table::insert`, `TEST(Suite, Case)`. */
  name: string;
  startLine: number;
  endLine: number;
  /** Of the header's first byte, of the `{`, and past the `}`. */
  start: number;
  body: number;
  end: number;
  /** {@link doubt} bits, 0 for none. */
  doubts: number;
}

/** What the innermost braces at hand are. Braces inside a body are only counted. */
export const bodyKind = { none: 0, function: 1, other: 2, group: 3 } as const;

const noTokens = new HeaderTokens();

/** The scanner's place in the grammar: all that an `#else` has to bring back. */
export class ScannerState {
  /** Names of the containers around: '' for all but classes. */
  containers: readonly string[] = [];
  body: number = bodyKind.none;
  /** Braces open inside the body, its own included. */
  depth = 0;
  /** Parentheses open in the header at hand. */
  parens = 0;
  header: HeaderTokens;
  functionName = '';
  functionStart = 0;
  functionLine = 0;
  functionBody = 0;
  functionDoubts = 0;

  constructor(header = new HeaderTokens()) {
    this.header = header;
  }

  /** Between two declarations, where a scan may begin. */
  get clean(): boolean {
    return this.body === bodyKind.none && this.header.count === 0;
  }

  copy(): ScannerState {
    // most conditionals stand where no header is at hand
    const copy = new ScannerState(this.header.count === 0 ? noTokens : this.header.copy());
    copy.#assignAllButHeader(this);
    return copy;
  }

  assign(other: ScannerState): void {
    this.header.assign(other.header);
    this.#assignAllButHeader(other);
  }

  #assignAllButHeader(other: ScannerState): void {
    this.containers = other.containers;
    this.body = other.body;
    this.depth = other.depth;
    this.parens = other.parens;
    this.functionName = other.functionName;
    this.functionStart = other.functionStart;
    this.functionLine = other.functionLine;
    this.functionBody = other.functionBody;
    this.functionDoubts = other.functionDoubts;
  }

  get level(): number {
    return this.containers.length + this.depth;
  }
}

/** One open `#if`. */
export interface Conditional {
  before: ScannerState;
  /** At the end of the first live arm, once there is a second. */
  after: ScannerState | undefined;
  /** `#if 0` or `#if 1`, whose dead arms are passed over. */
  constant: boolean | undefined;
}

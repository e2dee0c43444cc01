import { carriageReturn, closeParen, hash, isWord, openParen, slash, space, tab, zero } from './character-codes.js';
import { bodyKind, type Conditional, doubt, type FunctionSpan, type ScannerState } from './scanner-state.js';
import type { SourceCursor } from './source-cursor.js';

/** A header of more tokens that meets an `#if` is a table of macros without semicolons, not one to come back to. */
const maxHeaderAtDirective = 512;

/**
 * Takes preprocessor lines and lets each arm of an `#if` begin in the state before it. The first arm decides how the text
 * goes on where the others leave a different state; the dead arms of `#if 0` and `#if 1` are passed over.
 */
export class Conditionals {
  readonly open: Conditional[] = [];
  /** Rises with each directive that opens or closes an arm. */
  version = 0;

  constructor(
    private readonly cursor: SourceCursor,
    private readonly state: ScannerState,
    private readonly functions: readonly FunctionSpan[],
  ) {}

  /** At the start of a line: takes the preprocessor lines that begin here; true if there was one. */
  directives(): boolean {
    const { cursor } = this;
    const { bytes } = cursor;
    const end = bytes.length;
    let any = false;
    for (;;) {
      let i = cursor.position;
      while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
      if (bytes[i] !== hash) {
        cursor.position = i;
        return any;
      }
      any = true;
      i++;
      while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
      const start = i;
      while (i < end && isWord[bytes[i]!]) i++;
      const after = cursor.directiveEnd(i);
      cursor.position = after < end ? after + 1 : end;
      if (after < end) cursor.line++;
      this.#directive(start, i, after);
      if (cursor.position >= end) return true;
    }
  }

  #directive(start: number, wordEnd: number, end: number): void {
    const { bytes } = this.cursor;
    const second = bytes[start + 1];
    const relevant = bytes[start] === 105 ? second === 102 : bytes[start] === 101 && (second === 108 || second === 110);
    if (!relevant) return; // neither if..., nor el... or en...
    const word = bytes.toString('latin1', start, wordEnd);
    const { state } = this;
    const { open } = this;
    switch (word) {
      case 'if':
      case 'ifdef':
      case 'ifndef': {
        const constant = word === 'if' ? this.#constantCondition(wordEnd, end) : undefined;
        if (state.header.count > maxHeaderAtDirective) state.header.count = 0;
        open.push({ before: state.copy(), after: undefined, constant });
        this.version++;
        if (constant === false) this.#skipDead();
        return;
      }
      case 'else':
      case 'elif':
      case 'elifdef':
      case 'elifndef': {
        const conditional = open[open.length - 1];
        if (!conditional) return;
        if (conditional.constant === true) {
          this.#skipDead();
          return;
        }
        // the skipped arm of #if 0 left no state behind
        if (conditional.constant === false) conditional.constant = undefined;
        else {
          if (this.#decides(conditional)) conditional.after = state.copy();
          state.assign(conditional.before);
        }
        this.version++;
        return;
      }
      case 'endif': {
        const conditional = open.pop();
        this.version++;
        if (!conditional) return;
        const { before, after } = conditional;
        const level = state.level;
        if (after && !this.#decides(conditional)) state.assign(after);
        const agreed = after ? after.level === level : before.level === level;
        if (!agreed) this.#doubtConditional(before);
      }
    }
  }

  /** False for `#if 0`, true for `#if 1`. */
  #constantCondition(start: number, end: number): boolean | undefined {
    const { bytes } = this.cursor;
    let i = start;
    while (i < end && (bytes[i] === space || bytes[i] === tab || bytes[i] === openParen)) i++;
    if (bytes[i] !== zero && bytes[i] !== zero + 1) return undefined;
    const value = bytes[i] === zero + 1;
    do i++;
    while (
      i < end &&
      (bytes[i] === space || bytes[i] === tab || bytes[i] === closeParen || bytes[i] === carriageReturn)
    );
    return i >= end || bytes[i] === slash ? value : undefined;
  }

  /** The first arm decides how the text goes on, unless it leaves the braces as they were and another does not. */
  #decides({ before, after }: Conditional): boolean {
    return !after || (after.level === before.level && this.state.level !== before.level);
  }

  #doubtConditional(before: ScannerState): void {
    const { state } = this;
    if (state.body === bodyKind.function) state.functionDoubts |= doubt.conditional;
    const last = this.functions[this.functions.length - 1];
    if (last && before.body === bodyKind.function && last.start === before.functionStart)
      last.doubts |= doubt.conditional;
  }

  /** From the line at hand to the `#else`, `#elif` or `#endif` that ends this arm, whose line it takes as well. */
  #skipDead(): void {
    const { cursor } = this;
    const { bytes } = cursor;
    const end = bytes.length;
    let nested = 0;
    while (cursor.position < end) {
      let i = cursor.position;
      while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
      if (bytes[i] === hash) {
        i++;
        while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
        const start = i;
        while (i < end && isWord[bytes[i]!]) i++;
        const word = bytes.toString('latin1', start, i);
        if (word.startsWith('if')) nested++;
        else if (word === 'endif' || word.startsWith('el')) {
          if (nested === 0) {
            const after = cursor.directiveEnd(i);
            cursor.position = after < end ? after + 1 : end;
            if (after < end) cursor.line++;
            this.#directive(start, i, after);
            return;
          }
          if (word === 'endif') nested--;
        }
      }
      i = cursor.deadLine(i);
      if (i < end) cursor.line++;
      cursor.position = i < end ? i + 1 : end;
    }
  }
}

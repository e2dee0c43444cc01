import { classifyHeader, type Language } from './classify-header.js';
import { tokenKind } from './header-tokens.js';
import { bodyKind, type Conditional, doubt, type FunctionSpan, ScannerState } from './scanner-state.js';

/** A place between two declarations, from which a later scan of an edited file can go on. */
export interface Checkpoint {
  offset: number;
  line: number;
  /** How many functions end before it. */
  functions: number;
  context: CheckpointContext;
}

interface CheckpointContext {
  key: string;
  containers: readonly string[];
  conditionals: readonly Conditional[];
}

export interface FileScan {
  /** By position; none overlap. */
  functions: FunctionSpan[];
  balanced: boolean;
  checkpoints: Checkpoint[];
  lines: number;
}

/** An earlier scan of a file that shares its first `prefix` and last `suffix` bytes with the one at hand. */
export interface EarlierScan {
  scan: FileScan;
  bytes: Buffer;
  prefix: number;
  suffix: number;
}

/** A header of more tokens that meets an `#if` is a table of macros without semicolons, not one to come back to. */
const maxHeaderAtDirective = 512;

// What a byte means inside a body, where only these matter.
const inBody = new Uint8Array(256);
for (const character of '\n"\'/{}') inBody[character.charCodeAt(0)] = 1;
const isWord = new Uint8Array(256);
for (let i = 0; i < 256; i++) isWord[i] = /[\w$]/.test(String.fromCharCode(i)) || i >= 128 ? 1 : 0;
const [newline, backslash, slash, quote, apostrophe, hash, space, tab, carriageReturn] = [
  10, 92, 47, 34, 39, 35, 32, 9, 13,
];
const [openBrace, closeBrace, openParen, closeParen, semicolon, colon, starCharacter, zero, nine] = [
  123, 125, 40, 41, 59, 58, 42, 48, 57,
];

/**
 * Finds the function definitions of a C or C++ file by its tokens and braces, without parsing it: comments, strings,
 * raw strings and the preprocessor are understood, types and expressions are not. The first arm of an `#if` decides
 * where the others leave a different state; `#if 0` is passed over.
 *
 * A file whose braces do not balance is scanned again with a `}` in the first column taken for the end of a function.
 * With an {@link EarlierScan} only what lies between the last checkpoint before the edit and the first after it is read.
 */
export function scanFunctions(bytes: Buffer, language: Language, earlier?: EarlierScan): FileScan {
  const first = new Scanner(bytes, language, false).run(earlier?.scan.balanced ? earlier : undefined);
  if (first.balanced) return first;
  const second = new Scanner(bytes, language, true).run(undefined);
  for (const span of second.functions) span.doubts |= doubt.unbalanced;
  return { ...second, balanced: false, checkpoints: [] };
}

class Scanner {
  readonly #state = new ScannerState();
  readonly #conditionals: Conditional[] = [];
  #functions: FunctionSpan[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  #context: CheckpointContext | undefined = { key: '', containers: [], conditionals: [] };
  #position = 0;
  #line = 1;
  #balanced = true;

  constructor(
    private readonly bytes: Buffer,
    private readonly language: Language,
    private readonly recover: boolean,
  ) {}

  run(earlier: EarlierScan | undefined): FileScan {
    const { bytes } = this;
    const end = bytes.length;
    let nextCheckpoint = 0;
    let shift = 0;
    if (earlier) {
      this.#resume(earlier);
      shift = end - earlier.bytes.length;
      nextCheckpoint = this.#checkpoints.length;
    }
    if (this.#position === 0) {
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#position = 3;
      this.#directives();
    }
    while (this.#position < end) {
      if (this.#state.body !== bodyKind.none) this.#body();
      else if (this.#declaration() && this.#checkpoint() && earlier) {
        const here = this.#checkpoints[this.#checkpoints.length - 1]!;
        if (end - here.offset > earlier.suffix) continue;
        const { checkpoints } = earlier.scan;
        while (nextCheckpoint < checkpoints.length && checkpoints[nextCheckpoint]!.offset + shift < here.offset)
          nextCheckpoint++;
        const same = checkpoints[nextCheckpoint];
        if (same && same.offset + shift === here.offset && same.context.key === here.context.key) {
          return this.#rest(earlier.scan, nextCheckpoint, here, shift);
        }
      }
    }
    const balanced = this.#balanced && this.#state.level === 0;
    return { functions: this.#functions, balanced, checkpoints: this.#checkpoints, lines: this.#line };
  }

  #resume({ scan, prefix }: EarlierScan): void {
    let last = -1;
    for (let low = 0, high = scan.checkpoints.length - 1; low <= high; ) {
      const middle = (low + high) >> 1;
      // the byte at the checkpoint must be shared as well: it may begin a token with the one before
      if (scan.checkpoints[middle]!.offset < prefix) {
        last = middle;
        low = middle + 1;
      } else high = middle - 1;
    }
    if (last < 0) return;
    const { offset, line, functions, context } = scan.checkpoints[last]!;
    for (let i = 0; i <= last; i++) this.#checkpoints.push(scan.checkpoints[i]!);
    for (let i = 0; i < functions; i++) this.#functions.push(scan.functions[i]!);
    this.#position = offset;
    this.#line = line;
    this.#state.containers = context.containers;
    for (const conditional of context.conditionals) this.#conditionals.push({ ...conditional });
    this.#context = context;
  }

  #rest(scan: FileScan, index: number, here: Checkpoint, shift: number): FileScan {
    const from = scan.checkpoints[index]!;
    const lines = here.line - from.line;
    const added = this.#functions.length - from.functions;
    for (let i = from.functions; i < scan.functions.length; i++) {
      const span = scan.functions[i]!;
      this.#functions.push({
        name: span.name,
        startLine: span.startLine + lines,
        endLine: span.endLine + lines,
        start: span.start + shift,
        body: span.body + shift,
        end: span.end + shift,
        doubts: span.doubts,
      });
    }
    for (let i = index + 1; i < scan.checkpoints.length; i++) {
      const { offset, line, functions, context } = scan.checkpoints[i]!;
      this.#checkpoints.push({ offset: offset + shift, line: line + lines, functions: functions + added, context });
    }
    return {
      functions: this.#functions,
      balanced: this.#balanced,
      checkpoints: this.#checkpoints,
      lines: scan.lines + lines,
    };
  }

  #checkpoint(): boolean {
    if (this.recover || !this.#state.clean) return false;
    // of the many declarations that end in `;` every eighth will do, chosen by what stands there so that edits elsewhere
    // leave the choice alone
    const last = this.#position - 1;
    if (this.bytes[last] === semicolon && (this.bytes[last - 1]! & 7) !== 0) return false;
    this.#context ??= this.#makeContext();
    if (!this.#context) return false;
    this.#checkpoints.push({
      offset: this.#position,
      line: this.#line,
      functions: this.#functions.length,
      context: this.#context,
    });
    return true;
  }

  #makeContext(): CheckpointContext | undefined {
    const keyOf = (containers: readonly string[]): string => `${containers.length}${containers.join('\n')}`;
    let key = keyOf(this.#state.containers);
    for (const { before, after, constant } of this.#conditionals) {
      if (!before.clean || (after && !after.clean)) return undefined;
      key += `\r${constant ?? ''}\t${keyOf(before.containers)}\t${after ? keyOf(after.containers) : ''}`;
    }
    return { key, containers: this.#state.containers, conditionals: this.#conditionals.map((open) => ({ ...open })) };
  }

  /** Reads inside braces up to their end; preprocessor lines may change what the braces are. */
  #body(): void {
    const { bytes } = this;
    const end = bytes.length;
    const state = this.#state;
    let i = this.#position;
    while (i < end) {
      while (i < end && inBody[bytes[i]!] === 0) i++;
      if (i >= end) break;
      const character = bytes[i]!;
      if (character === newline) {
        this.#line++;
        i++;
        while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
        if (bytes[i] === hash) {
          this.#position = i;
          this.#directives();
          if (state.body === bodyKind.none) return;
          i = this.#position;
        }
        if (this.recover && bytes[i] === closeBrace && state.depth > 1 && this.#atMargin()) state.depth = 1;
      } else if (character === openBrace) {
        state.depth++;
        i++;
      } else if (character === closeBrace) {
        i++;
        if (--state.depth <= 0) {
          this.#position = i;
          this.#closeBody();
          return;
        }
      } else if (character === slash) i = this.#comment(i) ?? i + 1;
      else i = this.#literal(i);
    }
    this.#position = end;
  }

  #atMargin(): boolean {
    const start = this.#state.functionStart;
    return this.#state.body === bodyKind.function && (start === 0 || this.bytes[start - 1] === newline);
  }

  #closeBody(): void {
    const state = this.#state;
    const { body } = state;
    state.body = bodyKind.none;
    state.depth = 0;
    if (body === bodyKind.group) {
      state.header.push(tokenKind.braces, this.#position - 1, this.#position, this.#line);
      return;
    }
    state.header.count = 0;
    state.parens = 0;
    if (body !== bodyKind.function) return;
    const span: FunctionSpan = {
      name: state.functionName,
      startLine: state.functionLine,
      endLine: this.#line,
      start: state.functionStart,
      body: state.functionBody,
      end: this.#position,
      doubts: state.functionDoubts,
    };
    // a function that each arm of an #if closes for itself ends with the last of them
    const last = this.#functions[this.#functions.length - 1];
    if (last && last.start === span.start) {
      span.doubts |= doubt.conditional;
      this.#functions[this.#functions.length - 1] = span;
    } else this.#functions.push(span);
  }

  /** Reads tokens between bodies until a declaration ends; true then, false where a body begins or the file ends. */
  #declaration(): boolean {
    const { bytes } = this;
    const end = bytes.length;
    const state = this.#state;
    const { header } = state;
    let i = this.#position;
    while (i < end) {
      const character = bytes[i]!;
      if (isWord[character]) {
        const start = i++;
        while (i < end && isWord[bytes[i]!]) i++;
        const kind = character >= zero && character <= nine ? tokenKind.number : tokenKind.identifier;
        header.push(kind, start, i, this.#line);
        continue;
      }
      if (character === newline) {
        this.#line++;
        this.#position = i + 1;
        if (this.#directives() && state.body !== bodyKind.none) return false;
        i = this.#position;
        continue;
      }
      if (
        character === space ||
        character === tab ||
        character === carriageReturn ||
        character === 12 ||
        character === 11
      ) {
        i++;
        continue;
      }
      if (character === slash) {
        const after = this.#comment(i);
        if (after !== undefined) {
          i = after;
          continue;
        }
      }
      if (character === quote || character === apostrophe) {
        const line = this.#line;
        const after = this.#literal(i);
        header.push(tokenKind.string, i, after, line);
        i = after;
        continue;
      }
      if (character === backslash) {
        i++;
        continue;
      }
      const ended = this.#punctuation(character, i);
      i = this.#position;
      if (ended) return true;
      if (state.body !== bodyKind.none) return false;
    }
    this.#position = end;
    return false;
  }

  /** Takes one punctuation token; true where it ends a declaration. */
  #punctuation(character: number, i: number): boolean {
    const { bytes } = this;
    const state = this.#state;
    const { header } = state;
    const next = bytes[i + 1]!;
    this.#position = i + 1;
    switch (character) {
      case semicolon:
        if (state.parens > 0) break;
        if (this.#awaitsOldStyleBody()) break;
        header.count = 0;
        return true;
      case openParen:
        state.parens++;
        break;
      case closeParen:
        if (state.parens > 0) state.parens--;
        break;
      case openBrace:
        return this.#open(i);
      case closeBrace:
        header.count = 0;
        state.parens = 0;
        if (state.containers.length === 0) this.#balanced = false;
        else this.#setContainers(state.containers.slice(0, -1));
        return true;
      case colon:
        if (next === colon) {
          this.#position = i + 2;
          header.push(tokenKind.scope, i, i + 2, this.#line);
          return false;
        }
        if (this.#isAccessLabel()) {
          header.count = 0;
          return true;
        }
        break;
      default:
        if (character === 45 && next === 62) {
          this.#position = i + 2;
          header.push(tokenKind.arrow, i, i + 2, this.#line);
          return false;
        }
        if (next === 61 && '=!<>+-*/%&|^'.includes(String.fromCharCode(character))) {
          this.#position = i + 2;
          header.push(tokenKind.comparison, i, i + 2, this.#line);
          return false;
        }
    }
    header.push(character, i, i + 1, this.#line);
    return false;
  }

  #isAccessLabel(): boolean {
    const { header } = this.#state;
    if (
      this.#state.containers.length === 0 ||
      header.count === 0 ||
      header.count > 2 ||
      header.kinds[0] !== tokenKind.identifier
    ) {
      return false;
    }
    const word = this.bytes.toString('latin1', header.starts[0]!, header.ends[0]!);
    return /^(?:public|private|protected|signals|Q_SIGNALS|slots)$/.test(word);
  }

  #setContainers(containers: readonly string[]): void {
    this.#state.containers = containers;
    this.#context = undefined;
  }

  /** What a `{` between bodies opens. False always: a declaration goes on inside it. */
  #open(brace: number): boolean {
    const { bytes } = this;
    const state = this.#state;
    const { header } = state;
    if (state.parens > 0) {
      const margin = this.recover && (brace === 0 || bytes[brace - 1] === newline);
      if (!margin) {
        state.body = bodyKind.group;
        state.depth = 1;
        return false;
      }
      state.parens = 0;
    }
    const { containers } = state;
    const around = containers[containers.length - 1];
    const kind = classifyHeader(header, bytes, this.language, around || undefined);
    switch (kind.kind) {
      case 'function':
        state.body = bodyKind.function;
        state.functionName = kind.name;
        state.functionStart = header.starts[kind.firstToken]!;
        state.functionLine = header.lines[kind.firstToken]!;
        state.functionBody = brace;
        state.functionDoubts = kind.guessed ? doubt.header : 0;
        header.count = 0;
        break;
      case 'container': {
        const name = kind.name && around ? `${around}::${kind.name}` : kind.name || (around ?? '');
        this.#setContainers([...containers, kind.name ? name : '']);
        header.count = 0;
        return true;
      }
      case 'group':
        state.body = bodyKind.group;
        break;
      case 'other':
        if (kind.lost) this.#balanced = false;
        state.body = bodyKind.other;
        header.count = 0;
    }
    state.depth = 1;
    return false;
  }

  /** In `f(a, b) int a; char *b; {` the `;` ends the declaration of a parameter, not of the function. */
  #awaitsOldStyleBody(): boolean {
    if (this.language !== 'c') return false;
    const { header } = this.#state;
    const { kinds, starts, ends, count } = header;
    let open = 0;
    while (open < count && kinds[open] !== openParen) open++;
    if (open === 0 || open >= count || kinds[open - 1] !== tokenKind.identifier) return false;
    const names: string[] = [];
    let close = open + 1;
    for (; close < count && kinds[close] !== closeParen; close++) {
      if ((close - open) % 2 === 1) {
        if (kinds[close] !== tokenKind.identifier) return false;
        names.push(this.bytes.toString('latin1', starts[close]!, ends[close]!));
      } else if (kinds[close] !== 44) return false;
    }
    if (names.length === 0 || close + 2 >= count) return false;
    let from = close + 1;
    for (let i = close + 1; i < count; i++) if (kinds[i] === semicolon) from = i + 1;
    // each declarator of the last declaration must name a parameter
    let named = false;
    for (let i = from; i < count; i++) {
      if (kinds[i] === 61) return false;
      const ends_ = i + 1 === count || kinds[i + 1] === 44 || kinds[i + 1] === 91 || kinds[i + 1] === closeParen;
      if (kinds[i] !== tokenKind.identifier || !ends_ || i === from) continue;
      if (!names.includes(this.bytes.toString('latin1', starts[i]!, ends[i]!))) return false;
      named = true;
      while (kinds[i + 1] === closeParen || kinds[i + 1] === 91) {
        let depth = 0;
        do {
          i++;
          if (kinds[i] === openParen || kinds[i] === 91) depth++;
          else if (kinds[i] === closeParen || kinds[i] === 93) depth--;
        } while (i + 1 < count && (depth > 0 || kinds[i + 1] === openParen));
      }
    }
    return named;
  }

  /** Past a comment that begins here. */
  #comment(start: number): number | undefined {
    const { bytes } = this;
    const next = bytes[start + 1];
    if (next === slash) {
      let end = bytes.indexOf(newline, start);
      if (end < 0) return bytes.length;
      while (bytes[end - 1] === backslash || (bytes[end - 1] === carriageReturn && bytes[end - 2] === backslash)) {
        this.#line++;
        end = bytes.indexOf(newline, end + 1);
        if (end < 0) return bytes.length;
      }
      return end;
    }
    if (next !== starCharacter) return undefined;
    let i = start + 2;
    const end = bytes.length;
    while (i < end) {
      const character = bytes[i]!;
      if (character === starCharacter && bytes[i + 1] === slash) return i + 2;
      if (character === newline) this.#line++;
      i++;
    }
    return end;
  }

  /** Past a string or character literal; one that its line does not close ends with the line. */
  #literal(start: number): number {
    const { bytes } = this;
    const end = bytes.length;
    const delimiter = bytes[start]!;
    if (delimiter === apostrophe && start > 0 && this.#isDigitSeparator(start)) return start + 1;
    if (delimiter === quote && start > 0 && bytes[start - 1] === 82) {
      const raw = this.#rawString(start - 1);
      if (raw !== undefined) return raw;
    }
    let i = start + 1;
    while (i < end) {
      const character = bytes[i]!;
      if (character === delimiter) return i + 1;
      if (character === newline) return i;
      if (character === backslash) {
        if (bytes[i + 1] === newline) this.#line++;
        else if (bytes[i + 1] === carriageReturn && bytes[i + 2] === newline) {
          this.#line++;
          i++;
        }
        i++;
      }
      i++;
    }
    return end;
  }

  /** `1'000`, but not the prefix of `u8'a'` or `L'a'`. */
  #isDigitSeparator(at: number): boolean {
    const { bytes } = this;
    if (!isWord[bytes[at - 1]!] || !isWord[bytes[at + 1]!]) return false;
    let start = at - 1;
    while (start > 0 && (isWord[bytes[start - 1]!] || bytes[start - 1] === apostrophe)) start--;
    return bytes[start]! >= zero && bytes[start]! <= nine;
  }

  /** Past `R"x(...)x"` where `at` is its `R`. */
  #rawString(at: number): number | undefined {
    const { bytes } = this;
    if (this.language !== 'cpp' || bytes[at + 1] !== quote) return undefined;
    if (
      at > 0 &&
      isWord[bytes[at - 1]!] &&
      !/(?:^|\W)(?:u8|u|U|L)$/.test(bytes.toString('latin1', Math.max(0, at - 3), at))
    ) {
      return undefined;
    }
    let open = at + 2;
    while (open < bytes.length && bytes[open] !== openParen && open - at < 19) open++;
    if (bytes[open] !== openParen) return undefined;
    const terminator = `)${bytes.toString('latin1', at + 2, open)}"`;
    const found = bytes.indexOf(terminator, open, 'latin1');
    const end = found < 0 ? bytes.length : found + terminator.length;
    for (let i = bytes.indexOf(newline, at); i >= 0 && i < end; i = bytes.indexOf(newline, i + 1)) this.#line++;
    return end;
  }

  /** At the start of a line: takes the preprocessor lines that begin here; true if there was one. */
  #directives(): boolean {
    const { bytes } = this;
    const end = bytes.length;
    let any = false;
    for (;;) {
      let i = this.#position;
      while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
      if (bytes[i] !== hash) {
        this.#position = i;
        return any;
      }
      any = true;
      i++;
      while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
      const start = i;
      while (i < end && isWord[bytes[i]!]) i++;
      const after = this.#directiveEnd(i);
      this.#position = after < end ? after + 1 : end;
      if (after < end) this.#line++;
      this.#directive(start, i, after);
      if (this.#position >= end) return true;
    }
  }

  /** The newline that ends a directive: lines joined by `\`, comments and strings may hold others. */
  #directiveEnd(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let i = from;
    while (i < end) {
      const character = bytes[i]!;
      if (character === newline) return i;
      if (character === backslash) {
        if (bytes[i + 1] === newline) {
          this.#line++;
          i++;
        } else if (bytes[i + 1] === carriageReturn && bytes[i + 2] === newline) {
          this.#line++;
          i += 2;
        }
      } else if (character === slash) {
        const after = this.#comment(i);
        if (after !== undefined) {
          i = after;
          continue;
        }
      } else if (character === quote) {
        let close = i + 1;
        while (close < end && bytes[close] !== quote && bytes[close] !== newline) {
          if (bytes[close] !== backslash) close++;
          else if (bytes[close + 1] === newline || bytes[close + 1] === carriageReturn)
            break; // the line goes on
          else close += 2;
        }
        if (bytes[close] === quote) i = close;
      }
      i++;
    }
    return end;
  }

  #directive(start: number, wordEnd: number, end: number): void {
    const { bytes } = this;
    const second = bytes[start + 1];
    const relevant = bytes[start] === 105 ? second === 102 : bytes[start] === 101 && (second === 108 || second === 110);
    if (!relevant) return; // neither if..., nor el... or en...
    const word = bytes.toString('latin1', start, wordEnd);
    const state = this.#state;
    const open = this.#conditionals;
    switch (word) {
      case 'if':
      case 'ifdef':
      case 'ifndef': {
        const constant = word === 'if' ? this.#constantCondition(wordEnd, end) : undefined;
        if (state.header.count > maxHeaderAtDirective) state.header.count = 0;
        open.push({ before: state.copy(), after: undefined, constant });
        this.#context = undefined;
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
        this.#context = undefined;
        return;
      }
      case 'endif': {
        const conditional = open.pop();
        this.#context = undefined;
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
    const { bytes } = this;
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
    return !after || (after.level === before.level && this.#state.level !== before.level);
  }

  #doubtConditional(before: ScannerState): void {
    const state = this.#state;
    if (state.body === bodyKind.function) state.functionDoubts |= doubt.conditional;
    const last = this.#functions[this.#functions.length - 1];
    if (last && before.body === bodyKind.function && last.start === before.functionStart)
      last.doubts |= doubt.conditional;
  }

  /** From the line at hand to the `#else`, `#elif` or `#endif` that ends this arm, whose line it takes as well. */
  #skipDead(): void {
    const { bytes } = this;
    const end = bytes.length;
    let nested = 0;
    while (this.#position < end) {
      let i = this.#position;
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
            const after = this.#directiveEnd(i);
            this.#position = after < end ? after + 1 : end;
            if (after < end) this.#line++;
            this.#directive(start, i, after);
            return;
          }
          if (word === 'endif') nested--;
        }
      }
      i = this.#deadLine(i);
      if (i < end) this.#line++;
      this.#position = i < end ? i + 1 : end;
    }
  }

  /** The newline at the end of a dead line, past the comments it opens. */
  #deadLine(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let i = from;
    while (i < end && bytes[i] !== newline) {
      if (bytes[i] === slash && bytes[i + 1] === starCharacter) i = this.#comment(i)!;
      else if (bytes[i] === slash && bytes[i + 1] === slash) {
        const close = bytes.indexOf(newline, i);
        return close < 0 ? end : close;
      } else i++;
    }
    return i;
  }
}

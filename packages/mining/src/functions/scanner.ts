import {
  apostrophe,
  backslash,
  carriageReturn,
  closeBrace,
  closeParen,
  colon,
  hash,
  isWord,
  newline,
  nine,
  openBrace,
  openParen,
  quote,
  semicolon,
  slash,
  space,
  tab,
  zero,
} from './character-codes.js';
import { Checkpoints, type EarlierScan, type FileScan } from './checkpoints.js';
import { classifyHeader } from './classify-header.js';
import { Conditionals } from './conditionals.js';
import { tokenKind } from './header-tokens.js';
import type { Language } from './language.js';
import { awaitsOldStyleBody } from './old-style-parameters.js';
import { bodyKind, doubt, type FunctionSpan, ScannerState } from './scanner-state.js';
import { SourceCursor } from './source-cursor.js';

/** No program nests namespaces and classes so deep; each level costs a list of all around it. */
const maxContainers = 64;

// What a byte means inside a body, where only these matter.
const inBody = new Uint8Array(256);
for (const character of '\n"\'/{}') inBody[character.charCodeAt(0)] = 1;

/** What a line of code outside all functions does not begin with: it is blank, indented, a directive or a comment. */
const notText = new Uint8Array(256);
for (const character of '\n\r\t #/*') notText[character.charCodeAt(0)] = 1;

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
  readonly #functions: FunctionSpan[] = [];
  readonly #cursor: SourceCursor;
  readonly #conditionals: Conditionals;
  readonly #checkpoints: Checkpoints;
  #balanced = true;
  /** The next place at the start of a line that holds text of the program, found once for all braces before it. */
  #nextMargin = -1;

  constructor(
    private readonly bytes: Buffer,
    private readonly language: Language,
    private readonly recover: boolean,
  ) {
    this.#cursor = new SourceCursor(bytes, language);
    this.#conditionals = new Conditionals(this.#cursor, this.#state, this.#functions);
    this.#checkpoints = new Checkpoints(this.#cursor, this.#state, this.#conditionals, this.#functions);
  }

  run(earlier: EarlierScan | undefined): FileScan {
    const { bytes } = this;
    const cursor = this.#cursor;
    const noted = this.#checkpoints.list;
    const end = bytes.length;
    let nextCheckpoint = 0;
    let shift = 0;
    if (earlier) {
      this.#checkpoints.resume(earlier);
      shift = end - earlier.bytes.length;
      nextCheckpoint = noted.length;
    }
    if (cursor.position === 0) {
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) cursor.position = 3;
      this.#conditionals.directives();
    }
    while (cursor.position < end) {
      if (this.#state.body !== bodyKind.none) this.#body();
      else if (this.#declaration() && !this.recover && this.#checkpoints.note() && earlier) {
        const here = noted[noted.length - 1]!;
        if (end - here.offset > earlier.suffix) continue;
        const { checkpoints } = earlier.scan;
        while (nextCheckpoint < checkpoints.length && checkpoints[nextCheckpoint]!.offset + shift < here.offset)
          nextCheckpoint++;
        const same = checkpoints[nextCheckpoint];
        if (same && same.offset + shift === here.offset && same.context.key === here.context.key) {
          return { ...this.#checkpoints.rest(earlier.scan, nextCheckpoint, here, shift), balanced: this.#balanced };
        }
      }
    }
    const balanced = this.#balanced && this.#state.level === 0;
    return { functions: this.#functions, balanced, checkpoints: noted, lines: cursor.line };
  }

  /** Reads inside braces up to their end; preprocessor lines may change what the braces are. */
  #body(): void {
    const cursor = this.#cursor;
    const { bytes } = this;
    const end = bytes.length;
    const state = this.#state;
    let i = cursor.position;
    while (i < end) {
      while (i < end && inBody[bytes[i]!] === 0) i++;
      if (i >= end) break;
      const character = bytes[i]!;
      if (character === newline) {
        cursor.line++;
        i++;
        while (i < end && (bytes[i] === space || bytes[i] === tab)) i++;
        if (bytes[i] === hash) {
          cursor.position = i;
          this.#conditionals.directives();
          if (state.body === bodyKind.none) return;
          i = cursor.position;
        }
        const atMargin = bytes[i] === closeBrace && bytes[i - 1] === newline;
        if (this.recover && atMargin && state.depth > 1 && this.#beganAtMargin()) state.depth = 1;
      } else if (character === openBrace) {
        state.depth++;
        i++;
      } else if (character === closeBrace) {
        i++;
        if (--state.depth <= 0) {
          if (this.recover && this.#goesOn(i)) {
            state.depth = 1;
            continue;
          }
          cursor.position = i;
          this.#closeBody();
          return;
        }
      } else if (character === slash) i = cursor.comment(i) ?? i + 1;
      else i = cursor.literal(i);
    }
    cursor.position = end;
  }

  /**
   * Past a `}` that closes a function too early: it began in the first column, and the first text there after this one is
   * a `}` on a line of its own. (A brace in a macro's argument has its partner in a string, say.)
   */
  #goesOn(after: number): boolean {
    const { bytes } = this;
    if (!this.#beganAtMargin() || bytes[after - 2] === newline) return false;
    if (this.#nextMargin < after) {
      let at = bytes.indexOf(newline, after);
      while (at >= 0 && at + 1 < bytes.length && notText[bytes[at + 1]!] === 1) at = bytes.indexOf(newline, at + 1);
      this.#nextMargin = at < 0 ? bytes.length : at + 1;
    }
    const next = bytes[this.#nextMargin + 1];
    return (
      bytes[this.#nextMargin] === closeBrace && (next === newline || next === carriageReturn || next === undefined)
    );
  }

  #beganAtMargin(): boolean {
    const start = this.#state.functionStart;
    return this.#state.body === bodyKind.function && (start === 0 || this.bytes[start - 1] === newline);
  }

  #closeBody(): void {
    const cursor = this.#cursor;
    const state = this.#state;
    const { body } = state;
    state.body = bodyKind.none;
    state.depth = 0;
    if (body === bodyKind.group) {
      state.header.push(tokenKind.braces, cursor.position - 1, cursor.position, cursor.line);
      return;
    }
    state.header.count = 0;
    state.parens = 0;
    if (body !== bodyKind.function) return;
    const span: FunctionSpan = {
      name: state.functionName,
      startLine: state.functionLine,
      endLine: cursor.line,
      start: state.functionStart,
      body: state.functionBody,
      end: cursor.position,
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
    const cursor = this.#cursor;
    const { bytes } = this;
    const end = bytes.length;
    const state = this.#state;
    const { header } = state;
    let i = cursor.position;
    while (i < end) {
      const character = bytes[i]!;
      if (isWord[character]) {
        const start = i++;
        while (i < end && isWord[bytes[i]!]) i++;
        const kind = character >= zero && character <= nine ? tokenKind.number : tokenKind.identifier;
        header.push(kind, start, i, cursor.line);
        continue;
      }
      if (character === newline) {
        cursor.line++;
        cursor.position = i + 1;
        if (this.#conditionals.directives() && state.body !== bodyKind.none) return false;
        i = cursor.position;
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
        const after = cursor.comment(i);
        if (after !== undefined) {
          i = after;
          continue;
        }
      }
      if (character === quote || character === apostrophe) {
        const line = cursor.line;
        const after = cursor.literal(i);
        header.push(tokenKind.string, i, after, line);
        i = after;
        continue;
      }
      if (character === backslash) {
        i++;
        continue;
      }
      const ended = this.#punctuation(character, i);
      i = cursor.position;
      if (ended) return true;
      if (state.body !== bodyKind.none) return false;
    }
    cursor.position = end;
    return false;
  }

  /** Takes one punctuation token; true where it ends a declaration. */
  #punctuation(character: number, i: number): boolean {
    const cursor = this.#cursor;
    const { bytes } = this;
    const state = this.#state;
    const { header } = state;
    const next = bytes[i + 1]!;
    cursor.position = i + 1;
    switch (character) {
      case semicolon:
        if (state.parens > 0) break;
        if (this.language === 'c' && awaitsOldStyleBody(header, bytes)) break;
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
        else state.containers = state.containers.slice(0, -1);
        return true;
      case colon:
        if (next === colon) {
          cursor.position = i + 2;
          header.push(tokenKind.scope, i, i + 2, cursor.line);
          return false;
        }
        if (this.#isAccessLabel()) {
          header.count = 0;
          return true;
        }
        break;
      default:
        if (character === 45 && next === 62) {
          cursor.position = i + 2;
          header.push(tokenKind.arrow, i, i + 2, cursor.line);
          return false;
        }
        if (next === 61 && '=!<>+-*/%&|^'.includes(String.fromCharCode(character))) {
          cursor.position = i + 2;
          header.push(tokenKind.comparison, i, i + 2, cursor.line);
          return false;
        }
    }
    header.push(character, i, i + 1, cursor.line);
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
    let kind = classifyHeader(header, bytes, this.language, around || undefined);
    if (kind.kind === 'container' && containers.length >= maxContainers) kind = { kind: 'other', lost: false };
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
        state.containers = [...containers, kind.name ? name : ''];
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
}

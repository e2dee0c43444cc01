import { closeBracket, closeParen, comma, greater, less, openBracket, openParen, tilde } from './character-codes.js';
import { type HeaderTokens, tokenKind } from './header-tokens.js';
import { takesParens } from './header-words.js';

const { identifier, number, scope } = tokenKind;

/** The tokens before a `{`, their texts, and the brackets that belong together. */
export class HeaderView {
  readonly text: string[] = [];
  /** For each bracket, the index of its partner; -1 without one. */
  readonly partner: number[] = [];
  readonly kinds: readonly number[];
  readonly count: number;

  constructor(
    readonly tokens: HeaderTokens,
    bytes: Buffer,
  ) {
    this.kinds = tokens.kinds;
    this.count = tokens.count;
    const open: number[] = [];
    for (let i = 0; i < this.count; i++) {
      this.text.push(bytes.toString('latin1', tokens.starts[i]!, tokens.ends[i]!));
      this.partner.push(-1);
      const kind = this.kinds[i]!;
      if (kind === openParen || kind === openBracket) open.push(i);
      else if (kind === closeParen || kind === closeBracket) {
        const partner = open.pop();
        if (partner !== undefined) {
          this.partner[partner] = i;
          this.partner[i] = partner;
        }
      }
    }
  }

  after(open: number): number {
    const close = this.partner[open]!;
    return close < 0 ? open + 1 : close + 1;
  }

  closeAngle(open: number): number {
    let depth = 0;
    for (let i = open; i < this.count; i++) {
      const kind = this.kinds[i]!;
      if (kind === openParen || kind === openBracket) i = Math.max(i, this.partner[i]!);
      else if (kind === less) depth++;
      else if (kind === greater && --depth === 0) return i;
    }
    return -1;
  }

  openAngle(close: number): number {
    let depth = 0;
    for (let i = close; i >= 0; i--) {
      const kind = this.kinds[i]!;
      if (kind === closeParen || kind === closeBracket) i = this.partner[i]! < 0 ? i : this.partner[i]!;
      else if (kind === greater) depth++;
      else if (kind === less && --depth === 0) return i;
    }
    return -1;
  }

  qualifierStart(name: number): number {
    let start = name;
    if (this.kinds[start - 1] === tilde) start--;
    while (this.kinds[start - 1] === scope) {
      let owner = start - 2;
      if (this.kinds[owner] === greater) owner = this.openAngle(owner) - 1;
      if (owner < 0 || this.kinds[owner] !== identifier) break;
      start = owner;
    }
    return start;
  }

  join(from: number, to: number): string {
    let joined = '';
    for (let i = from; i <= to; i++) {
      const word = this.kinds[i] === identifier || this.kinds[i] === number;
      const wordBefore = i > from && (this.kinds[i - 1] === identifier || this.kinds[i - 1] === number);
      joined +=
        word && wordBefore
          ? ` ${this.text[i]}`
          : this.kinds[i] === comma && this.text[i - 1] !== 'operator'
            ? ', '
            : this.text[i];
    }
    return joined;
  }

  /**
   * Where the definition itself begins: what has parentheses of its own and stands apart, by a blank line, comment or
   * directive, is another declaration that a macro ended.
   */
  firstToken(begin: number, nameStart: number): number {
    let parens = false;
    let first = begin;
    for (let i = begin; i < nameStart; i++) {
      if (this.kinds[i] === openParen && !takesParens.has(this.text[i - 1] ?? '')) parens = true;
      if (parens && this.tokens.lines[i + 1]! - this.tokens.lines[i]! > 1 && this.kinds[i] !== openParen) {
        first = i + 1;
        parens = false;
      }
    }
    return first;
  }
}

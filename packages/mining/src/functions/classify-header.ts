import { ampersand, colon, equals, greater, less, openBracket, openParen, semicolon } from './character-codes.js';
import { type Declarator, readDeclarator } from './declarator.js';
import { type HeaderTokens, tokenKind } from './header-tokens.js';
import { HeaderView } from './header-view.js';
import { control, foreignMacro, macroLike, specifiers, tailWords, takesParens, typeWords } from './header-words.js';
import type { Language } from './language.js';

const { identifier, string, scope, arrow } = tokenKind;

/** What the `{` after a header opens. */
export type Header =
  | { kind: 'function'; name: string; firstToken: number; guessed: boolean }
  /** Its braces hold declarations: class, namespace, `extern "C"`. `name` is set for classes only. */
  | { kind: 'container'; name: string }
  /** `{}` inside a header that goes on: a member initialiser before the body of a constructor. */
  | { kind: 'group' }
  /** An initialiser, an enumeration, or a control statement, which says that the scanner has lost its way. */
  | { kind: 'other'; lost: boolean };

/** Reads the tokens before a `{` and tells what it opens; `className` is the class whose braces it stands in. */
export function classifyHeader(
  tokens: HeaderTokens,
  bytes: Buffer,
  language: Language,
  className: string | undefined,
): Header {
  return new HeaderReader(tokens, bytes, language, className).classify();
}

class HeaderReader {
  readonly #view: HeaderView;
  readonly #text: readonly string[];
  readonly #partner: readonly number[];
  readonly #kinds: readonly number[];
  readonly #count: number;

  constructor(
    private readonly tokens: HeaderTokens,
    bytes: Buffer,
    private readonly language: Language,
    private readonly className: string | undefined,
  ) {
    this.#view = new HeaderView(tokens, bytes);
    ({ text: this.#text, partner: this.#partner, kinds: this.#kinds, count: this.#count } = this.#view);
  }

  classify(): Header {
    const oldStyle = this.language === 'c' && this.#kinds[this.#count - 1] === semicolon;
    const begin = oldStyle ? 0 : this.#skipForeignMacros();
    const head = this.#skipPrefixes(begin);
    if (head >= this.#count) {
      const linkage = this.#count === begin + 2 && this.#text[begin] === 'extern' && this.#kinds[begin + 1] === string;
      return linkage ? { kind: 'container', name: '' } : { kind: 'other', lost: false };
    }
    // `catch` is the rest of a function whose body is a try block
    if (control.has(this.#text[head]!)) return { kind: 'other', lost: this.#text[head] !== 'catch' };
    if (this.#isInitialiser(head)) return { kind: 'other', lost: false };

    const classKey = oldStyle ? -1 : this.#classKey(head);
    const found = this.#findFunction(head, classKey);
    if (found === 'group') return { kind: 'group' };
    if (found)
      return {
        kind: 'function',
        firstToken: this.#view.firstToken(begin, found.nameStart),
        name: found.name,
        guessed: found.guessed,
      };
    if (classKey < 0) return { kind: 'other', lost: false };
    const key = this.#text[classKey]!;
    if (key === 'enum') return { kind: 'other', lost: false };
    if (this.language === 'c' && key !== 'namespace') return { kind: 'other', lost: false };
    return { kind: 'container', name: key === 'namespace' ? '' : this.#classNameAfter(classKey) };
  }

  /**
   * Macro invocations before a definition that are none of it: those with a blank line, comment or directive after them,
   * and on a line of their own those with a string among their arguments (`MODULE_LICENSE("GPL")`), those that say they
   * begin or end something (`__BEGIN_DECLS`, `END_TEST`), and those in small letters (`rb_gen(...)`), which cannot be attributes.
   */
  #skipForeignMacros(): number {
    let begin = 0;
    for (let i = 0; i < this.#count; ) {
      const word = this.#text[i]!;
      const call = this.#kinds[i + 1] === openParen;
      const macro = macroLike.test(word);
      if (this.#kinds[i] !== identifier || takesParens.has(word) || !(macro || call)) break;
      const last = call ? this.#partner[i + 1]! : i;
      if (last < 0 || last + 1 >= this.#count || this.#kinds[last + 1] !== identifier) break;
      const gap = this.tokens.lines[last + 1]! - this.tokens.lines[last]!;
      const quotes = call && this.#kinds.slice(i + 1, last).includes(string);
      i = last + 1;
      if (gap > 1 || (gap === 1 && (quotes || !macro || foreignMacro.test(word)))) begin = i;
      else if (!macro) break;
    }
    return begin;
  }

  /** Past `template <...>`, `[[...]]`, `extern "C"`, specifiers and attributes. */
  #skipPrefixes(from: number): number {
    let i = from;
    for (;;) {
      const text = this.#text[i];
      if (text === undefined) return i;
      if (text === 'template' && this.#kinds[i + 1] === less) {
        const close = this.#view.closeAngle(i + 1);
        if (close < 0) return i;
        i = close + 1;
        if (this.#text[i] === 'requires' && this.#kinds[i + 1] === openParen) i = this.#view.after(i + 1);
      } else if (this.#kinds[i] === openBracket && this.#kinds[i + 1] === openBracket) i = this.#view.after(i);
      else if (text === 'extern' && this.#kinds[i + 1] === string) i += 2;
      else if (takesParens.has(text) && this.#kinds[i + 1] === openParen && text !== 'decltype' && !control.has(text)) {
        i = this.#view.after(i + 1);
      } else if (specifiers.has(text)) i++;
      else return i;
    }
  }

  #isInitialiser(head: number): boolean {
    for (let i = head; i < this.#count; i++) {
      const kind = this.#kinds[i]!;
      if (kind === openParen || kind === openBracket) i = Math.max(i, this.#partner[i]!);
      else if (kind === equals && !this.#operatorBefore(i)) return true;
    }
    return false;
  }

  #operatorBefore(index: number): boolean {
    return this.#text[index - 1] === 'operator' || this.#text[index - 2] === 'operator';
  }

  #classKey(head: number): number {
    for (let i = head; i < this.#count; i++) {
      const kind = this.#kinds[i]!;
      if (kind === openParen || kind === openBracket) i = Math.max(i, this.#partner[i]!);
      else if (kind === less && this.#kinds[i - 1] === identifier) {
        const close = this.#view.closeAngle(i);
        if (close > 0) i = close;
      } else if (kind === colon) return -1;
      else if (/^(?:class|struct|union|enum|namespace)$/.test(this.#text[i]!)) return i;
    }
    return -1;
  }

  #classNameAfter(classKey: number): string {
    let name = '';
    for (let i = classKey + 1; i < this.#count; i++) {
      const kind = this.#kinds[i]!;
      if (kind === colon) break;
      if (kind === openParen || kind === openBracket) i = Math.max(i, this.#partner[i]!);
      else if (kind === less) {
        const close = this.#view.closeAngle(i);
        if (close < 0) break;
        i = close;
      } else if (kind === identifier && this.#text[i] !== 'final' && !takesParens.has(this.#text[i]!)) {
        name = name !== '' && this.#kinds[i - 1] === scope ? `${name}::${this.#text[i]}` : this.#text[i]!;
      }
    }
    return name;
  }

  /** The first parenthesis that can hold a function's parameters: a name before it, and after it only what may follow them. */
  #findFunction(
    head: number,
    classKey: number,
  ): { name: string; nameStart: number; guessed: boolean } | 'group' | undefined {
    for (let open = head; open < this.#count; open++) {
      if (this.#kinds[open] === openBracket) {
        open = Math.max(open, this.#partner[open]!);
        continue;
      }
      if (this.#kinds[open] !== openParen) continue;
      const close = this.#partner[open]!;
      if (close < 0) return undefined;
      const declarator = readDeclarator(this.#view, open, close, head, this.className);
      if (declarator) {
        const tail = this.#tail(declarator.parametersEnd + 1, declarator, head);
        const named = classKey < 0 || (declarator.nameStart > classKey + 1 && tail !== 'initialisers');
        if (tail === 'group' && classKey < 0) return 'group';
        if (tail !== 'none' && tail !== 'group' && named) {
          const { name, nameStart } = declarator;
          return { name: this.#qualified(name, head, nameStart), nameStart, guessed: tail === 'guess' };
        }
      }
      open = close;
    }
    return undefined;
  }

  #qualified(name: string, head: number, nameStart: number): string {
    if (!this.className || (nameStart === head && /^_*[A-Z][A-Z0-9_]*\(/.test(name))) return name;
    return `${this.className}::${name}`;
  }

  #tail(from: number, declarator: Declarator, head: number): Tail {
    if (this.language === 'c' && from < this.#count && this.#kinds[this.#count - 1] === semicolon) return 'plain';
    const atStart = declarator.nameStart === head;
    let guess = false;
    for (let i = from; i < this.#count; i++) {
      const kind = this.#kinds[i]!;
      const text = this.#text[i]!;
      if (kind === openBracket && this.#kinds[i + 1] === openBracket) i = this.#view.after(i) - 1;
      else if (kind === ampersand) continue;
      else if (kind === arrow) return 'plain';
      else if (kind === colon && this.language === 'cpp') return this.#memberInitialiser() ? 'group' : 'initialisers';
      else if (kind !== identifier) return 'none';
      else if (text === 'requires') return 'plain';
      else if (tailWords.has(text) || macroLike.test(text)) {
        const call = this.#kinds[i + 1] === openParen;
        if (call && atStart && !tailWords.has(text) && this.#onLaterLine(i, head)) return 'none';
        if (call) i = this.#view.after(i + 1) - 1;
      } else if (!atStart && this.#onlyAttribute(i)) {
        const call = this.#kinds[i + 1] === openParen;
        // ATTRIBUTE(1) f(int a): the second name is the function's
        if (call && macroLike.test(declarator.name)) return 'none';
        guess = true;
        if (call) i = this.#view.after(i + 1) - 1;
      } else return 'none';
    }
    return guess ? 'guess' : 'plain';
  }

  /** An unknown lower-case word after the parameters is taken for an attribute macro where nothing but the `{` follows. */
  #onlyAttribute(index: number): boolean {
    if (typeWords.has(this.#text[index]!) || specifiers.has(this.#text[index]!)) return false;
    const next = this.#kinds[index + 1] === openParen ? this.#view.after(index + 1) : index + 1;
    return next === this.#count;
  }

  #onLaterLine(index: number, than: number): boolean {
    return this.tokens.lines[index]! > this.tokens.lines[than]!;
  }

  /** After `:` or `,` and a member's or base's name, `{` begins its initialiser; after `)` or `}` it begins the body. */
  #memberInitialiser(): boolean {
    const last = this.#kinds[this.#count - 1]!;
    return last === identifier || last === greater;
  }
}

type Tail = 'none' | 'plain' | 'guess' | 'initialisers' | 'group';

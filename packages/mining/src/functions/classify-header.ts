import { type HeaderTokens, tokenKind } from './header-tokens.js';

const { identifier, number, string, scope, arrow } = tokenKind;
const [openParen, closeParen, openBracket, closeBracket] = [40, 41, 91, 93];
const [less, greater, equals, colon, semicolon, comma, star, ampersand, tilde, caret] = [
  60, 62, 61, 58, 59, 44, 42, 38, 126, 94,
];

export type Language = 'c' | 'cpp';

/** What the `{` after a header opens. */
export type Header =
  | { kind: 'function'; name: string; firstToken: number; guessed: boolean }
  /** Its braces hold declarations: class, namespace, `extern "C"`. `name` is set for classes only. */
  | { kind: 'container'; name: string }
  /** `{}` inside a header that goes on: a member initialiser before the body of a constructor. */
  | { kind: 'group' }
  /** An initialiser, an enumeration, or a control statement, which says that the scanner has lost its way. */
  | { kind: 'other'; lost: boolean };

const words = (text: string): Set<string> => new Set(text.split(/\s+/));
const control = words('if for while switch return do else catch case default goto break continue try sizeof');
const specifiers = words(
  'static inline extern const volatile constexpr consteval constinit virtual explicit friend register typedef export ' +
    '__inline __inline__ __forceinline __extension__ _Noreturn noreturn __always_inline',
);
const takesParens = words(
  '__attribute__ __attribute __declspec alignas _Alignas decltype noexcept throw asm __asm __asm__ requires typeof ' +
    '__typeof__ __typeof explicit constexpr if',
);
const typeWords = words(
  'void char short int long float double signed unsigned bool _Bool auto struct union enum class wchar_t size_t',
);
const tailWords = words(
  'const volatile noexcept override final throw try mutable restrict __restrict __restrict__ __attribute__ ' +
    '__attribute __declspec asm __asm__ __asm and_then',
);
/** Words that stand for whole declarations of their own. */
const foreignMacro = /(?:^|_)(?:BEGIN|END)(?:_|$)|^Q_(?:OBJECT|GADGET|NAMESPACE)$/;
const macroLike = /^(?:_*[A-Z][A-Z0-9_]*|__\w+)$/;

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
  readonly #text: string[] = [];
  /** For each bracket, the index of its partner; -1 without one. */
  readonly #partner: number[] = [];
  readonly #kinds: number[];
  readonly #count: number;

  constructor(
    private readonly tokens: HeaderTokens,
    bytes: Buffer,
    private readonly language: Language,
    private readonly className: string | undefined,
  ) {
    this.#kinds = tokens.kinds;
    this.#count = tokens.count;
    const open: number[] = [];
    for (let i = 0; i < this.#count; i++) {
      this.#text.push(bytes.toString('latin1', tokens.starts[i]!, tokens.ends[i]!));
      this.#partner.push(-1);
      const kind = this.#kinds[i]!;
      if (kind === openParen || kind === openBracket) open.push(i);
      else if (kind === closeParen || kind === closeBracket) {
        const partner = open.pop();
        if (partner !== undefined) {
          this.#partner[partner] = i;
          this.#partner[i] = partner;
        }
      }
    }
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
        firstToken: this.#firstToken(begin, found.nameStart),
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

  /**
   * Where the definition itself begins: what has parentheses of its own and stands apart, by a blank line, comment or
   * directive, is another declaration that a macro ended.
   */
  #firstToken(begin: number, nameStart: number): number {
    let parens = false;
    let first = begin;
    for (let i = begin; i < nameStart; i++) {
      if (this.#kinds[i] === openParen && !takesParens.has(this.#text[i - 1] ?? '')) parens = true;
      if (parens && this.tokens.lines[i + 1]! - this.tokens.lines[i]! > 1 && this.#kinds[i] !== openParen) {
        first = i + 1;
        parens = false;
      }
    }
    return first;
  }

  /** Past `template <...>`, `[[...]]`, `extern "C"`, specifiers and attributes. */
  #skipPrefixes(from: number): number {
    let i = from;
    for (;;) {
      const text = this.#text[i];
      if (text === undefined) return i;
      if (text === 'template' && this.#kinds[i + 1] === less) {
        const close = this.#closeAngle(i + 1);
        if (close < 0) return i;
        i = close + 1;
        if (this.#text[i] === 'requires' && this.#kinds[i + 1] === openParen) i = this.#after(i + 1);
      } else if (this.#kinds[i] === openBracket && this.#kinds[i + 1] === openBracket) i = this.#after(i);
      else if (text === 'extern' && this.#kinds[i + 1] === string) i += 2;
      else if (takesParens.has(text) && this.#kinds[i + 1] === openParen && text !== 'decltype' && !control.has(text)) {
        i = this.#after(i + 1);
      } else if (specifiers.has(text)) i++;
      else return i;
    }
  }

  #after(open: number): number {
    const close = this.#partner[open]!;
    return close < 0 ? open + 1 : close + 1;
  }

  #closeAngle(open: number): number {
    let depth = 0;
    for (let i = open; i < this.#count; i++) {
      const kind = this.#kinds[i]!;
      if (kind === openParen || kind === openBracket) i = Math.max(i, this.#partner[i]!);
      else if (kind === less) depth++;
      else if (kind === greater && --depth === 0) return i;
    }
    return -1;
  }

  #openAngle(close: number): number {
    let depth = 0;
    for (let i = close; i >= 0; i--) {
      const kind = this.#kinds[i]!;
      if (kind === closeParen || kind === closeBracket) i = this.#partner[i]! < 0 ? i : this.#partner[i]!;
      else if (kind === greater) depth++;
      else if (kind === less && --depth === 0) return i;
    }
    return -1;
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
        const close = this.#closeAngle(i);
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
        const close = this.#closeAngle(i);
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
      const declarator = this.#declarator(open, close, head);
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

  #declarator(open: number, close: number, head: number): Declarator | undefined {
    const before = open - 1;
    const operator = this.#operatorName(before);
    if (operator >= head) {
      // operator()(...): the first pair belongs to the name
      const own = operator === before && this.#kinds[close + 1] === openParen && close === open + 1;
      if (operator === before && !own) return undefined;
      const nameEnd = own ? close : before;
      const parameters = own ? close + 1 : open;
      const nameStart = this.#qualifierStart(operator);
      return { nameStart, name: this.#join(nameStart, nameEnd), parameters, parametersEnd: this.#partner[parameters]! };
    }
    if (before < head) return undefined;
    const text = this.#text[before]!;
    if (this.#kinds[before] === greater) {
      const angle = this.#openAngle(before);
      if (angle <= head || this.#kinds[angle - 1] !== identifier) return undefined;
      const nameStart = this.#qualifierStart(angle - 1);
      return { nameStart, name: this.#join(nameStart, before), parameters: open, parametersEnd: close };
    }
    if (this.#kinds[before] === star || this.#kinds[before] === ampersand) return this.#inner(open, close);
    if (this.#kinds[before] !== identifier || takesParens.has(text) || control.has(text)) return undefined;
    const first = this.#kinds[open + 1]!;
    const followed = this.#kinds[close + 1] === openParen || this.#kinds[close + 1] === openBracket;
    if (followed && (first === star || first === ampersand || first === caret || typeWords.has(text))) {
      const inner = this.#inner(open, close);
      if (inner) return inner;
    }
    if (typeWords.has(text)) return undefined;
    const nameStart = this.#qualifierStart(before);
    if (this.#kinds[close + 1] === openParen && this.#partner[close + 1]! > 0) {
      const parametersEnd = this.#partner[close + 1]!;
      const lone = close === open + 2 && first === identifier;
      if (lone && (nameStart > head || !macroLike.test(text))) {
        return { nameStart: open + 1, name: this.#text[open + 1]!, parameters: close + 1, parametersEnd };
      }
      return { nameStart, name: this.#join(nameStart, close), parameters: close + 1, parametersEnd };
    }
    return {
      nameStart,
      name: this.#nameOrInvocation(nameStart, before, open, close, head),
      parameters: open,
      parametersEnd: close,
    };
  }

  /** `(*name(parameters))` or `(name)`: a declarator within parentheses. */
  #inner(open: number, close: number): Declarator | undefined {
    for (let i = open + 1; i < close; i++) {
      if (this.#kinds[i] !== openParen) continue;
      const nested = this.#partner[i]!;
      if (
        this.#kinds[i - 1] === identifier &&
        !takesParens.has(this.#text[i - 1]!) &&
        !typeWords.has(this.#text[i - 1]!)
      ) {
        const nameStart = this.#qualifierStart(i - 1);
        let last = this.#partner[open]!;
        while (this.#kinds[last + 1] === openParen || this.#kinds[last + 1] === openBracket)
          last = this.#after(last + 1) - 1;
        return { nameStart, name: this.#join(nameStart, i - 1), parameters: i, parametersEnd: last };
      }
      const deeper = this.#inner(i, nested);
      if (deeper) {
        let last = close;
        while (this.#kinds[last + 1] === openParen || this.#kinds[last + 1] === openBracket)
          last = this.#after(last + 1) - 1;
        return { ...deeper, parametersEnd: last };
      }
      i = Math.max(i, nested);
    }
    if (close === open + 2 && this.#kinds[open + 1] === identifier && this.#kinds[close + 1] === openParen) {
      const parametersEnd = this.#partner[close + 1]!;
      if (parametersEnd < 0) return undefined;
      return { nameStart: open + 1, name: this.#text[open + 1]!, parameters: close + 1, parametersEnd };
    }
    return undefined;
  }

  /** Index of `operator` where the tokens up to `before` spell an operator's name, else -1. */
  #operatorName(before: number): number {
    for (let i = before; i >= Math.max(0, before - 8); i--) {
      if (this.#text[i] === 'operator') return i;
      const kind = this.#kinds[i]!;
      if (kind === openParen || kind === closeParen || kind === colon || kind === semicolon) return -1;
    }
    return -1;
  }

  #qualifierStart(name: number): number {
    let start = name;
    if (this.#kinds[start - 1] === tilde) start--;
    while (this.#kinds[start - 1] === scope) {
      let owner = start - 2;
      if (this.#kinds[owner] === greater) owner = this.#openAngle(owner) - 1;
      if (owner < 0 || this.#kinds[owner] !== identifier) break;
      start = owner;
    }
    return start;
  }

  #join(from: number, to: number): string {
    let joined = '';
    for (let i = from; i <= to; i++) {
      const word = this.#kinds[i] === identifier || this.#kinds[i] === number;
      const wordBefore = i > from && (this.#kinds[i - 1] === identifier || this.#kinds[i - 1] === number);
      joined +=
        word && wordBefore
          ? ` ${this.#text[i]}`
          : this.#kinds[i] === comma && this.#text[i - 1] !== 'operator'
            ? ', '
            : this.#text[i];
    }
    return joined;
  }

  /** `TEST(Suite, Case) {` defines a function whose identity is the whole invocation. */
  #nameOrInvocation(nameStart: number, nameEnd: number, open: number, close: number, head: number): string {
    const name = this.#join(nameStart, nameEnd);
    const first = nameStart === head || nameStart === this.#firstToken(0, nameStart);
    if (!first || close === open + 1 || !/^_*[A-Z][A-Z0-9_]*$/.test(name) || name === this.className?.split('::').pop())
      return name;
    const parts: number[] = [];
    for (let i = open + 1; i < close; i++) {
      if (this.#kinds[i] === comma) parts.push(i);
      else if (this.#kinds[i] === openParen) i = Math.max(i, this.#partner[i]!);
    }
    // SYSCALL_DEFINE3(read, unsigned int, fd, ...): the first argument names it, the others are parameters
    const simple = parts.length <= 2 && close - open - 1 === parts.length * 2 + 1;
    return `${name}(${this.#join(open + 1, (simple ? close : (parts[0] ?? close)) - 1)})`;
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
      if (kind === openBracket && this.#kinds[i + 1] === openBracket) i = this.#after(i) - 1;
      else if (kind === ampersand) continue;
      else if (kind === arrow) return 'plain';
      else if (kind === colon && this.language === 'cpp') return this.#memberInitialiser() ? 'group' : 'initialisers';
      else if (kind !== identifier) return 'none';
      else if (text === 'requires') return 'plain';
      else if (tailWords.has(text) || macroLike.test(text)) {
        const call = this.#kinds[i + 1] === openParen;
        if (call && atStart && !tailWords.has(text) && this.#onLaterLine(i, head)) return 'none';
        if (call) i = this.#after(i + 1) - 1;
      } else if (!atStart && this.#onlyAttribute(i)) {
        const call = this.#kinds[i + 1] === openParen;
        // ATTRIBUTE(1) f(int a): the second name is the function's
        if (call && macroLike.test(declarator.name)) return 'none';
        guess = true;
        if (call) i = this.#after(i + 1) - 1;
      } else return 'none';
    }
    return guess ? 'guess' : 'plain';
  }

  /** An unknown lower-case word after the parameters is taken for an attribute macro where nothing but the `{` follows. */
  #onlyAttribute(index: number): boolean {
    if (typeWords.has(this.#text[index]!) || specifiers.has(this.#text[index]!)) return false;
    const next = this.#kinds[index + 1] === openParen ? this.#after(index + 1) : index + 1;
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

interface Declarator {
  nameStart: number;
  name: string;
  parameters: number;
  parametersEnd: number;
}

import {
  ampersand,
  caret,
  closeParen,
  colon,
  comma,
  greater,
  openBracket,
  openParen,
  semicolon,
  star,
} from './character-codes.js';
import { tokenKind } from './header-tokens.js';
import type { HeaderView } from './header-view.js';
import { control, macroLike, takesParens, typeWords } from './header-words.js';

const { identifier } = tokenKind;

/** A function's name and parameters, as indices of tokens. */
export interface Declarator {
  nameStart: number;
  name: string;
  parameters: number;
  parametersEnd: number;
}

/** What a `(` and its partner make with the tokens before them; `undefined` where that is no function's declarator. */
export function readDeclarator(
  view: HeaderView,
  open: number,
  close: number,
  head: number,
  className: string | undefined,
): Declarator | undefined {
  const before = open - 1;
  const operator = operatorName(view, before);
  if (operator >= head) {
    // operator()(...): the first pair belongs to the name
    const own = operator === before && view.kinds[close + 1] === openParen && close === open + 1;
    if (operator === before && !own) return undefined;
    const nameEnd = own ? close : before;
    const parameters = own ? close + 1 : open;
    const nameStart = view.qualifierStart(operator);
    return { nameStart, name: view.join(nameStart, nameEnd), parameters, parametersEnd: view.partner[parameters]! };
  }
  if (before < head) return undefined;
  const text = view.text[before]!;
  if (view.kinds[before] === greater) {
    const angle = view.openAngle(before);
    if (angle <= head || view.kinds[angle - 1] !== identifier) return undefined;
    const nameStart = view.qualifierStart(angle - 1);
    return { nameStart, name: view.join(nameStart, before), parameters: open, parametersEnd: close };
  }
  if (view.kinds[before] === star || view.kinds[before] === ampersand) return readInner(view, open, close);
  if (view.kinds[before] !== identifier || takesParens.has(text) || control.has(text)) return undefined;
  const first = view.kinds[open + 1]!;
  const followed = view.kinds[close + 1] === openParen || view.kinds[close + 1] === openBracket;
  if (followed && (first === star || first === ampersand || first === caret || typeWords.has(text))) {
    const inner = readInner(view, open, close);
    if (inner) return inner;
  }
  if (typeWords.has(text)) return undefined;
  const nameStart = view.qualifierStart(before);
  if (view.kinds[close + 1] === openParen && view.partner[close + 1]! > 0) {
    const parametersEnd = view.partner[close + 1]!;
    const lone = close === open + 2 && first === identifier;
    if (lone && (nameStart > head || !macroLike.test(text))) {
      return { nameStart: open + 1, name: view.text[open + 1]!, parameters: close + 1, parametersEnd };
    }
    return { nameStart, name: view.join(nameStart, close), parameters: close + 1, parametersEnd };
  }
  return {
    nameStart,
    name: nameOrInvocation(view, nameStart, before, open, close, head, className),
    parameters: open,
    parametersEnd: close,
  };
}

/** `(*name(parameters))` or `(name)`: a declarator within parentheses. */
function readInner(view: HeaderView, open: number, close: number): Declarator | undefined {
  for (let i = open + 1; i < close; i++) {
    if (view.kinds[i] !== openParen) continue;
    const nested = view.partner[i]!;
    if (view.kinds[i - 1] === identifier && !takesParens.has(view.text[i - 1]!) && !typeWords.has(view.text[i - 1]!)) {
      const nameStart = view.qualifierStart(i - 1);
      let last = view.partner[open]!;
      while (view.kinds[last + 1] === openParen || view.kinds[last + 1] === openBracket)
        last = view.after(last + 1) - 1;
      return { nameStart, name: view.join(nameStart, i - 1), parameters: i, parametersEnd: last };
    }
    const deeper = readInner(view, i, nested);
    if (deeper) {
      let last = close;
      while (view.kinds[last + 1] === openParen || view.kinds[last + 1] === openBracket)
        last = view.after(last + 1) - 1;
      return { ...deeper, parametersEnd: last };
    }
    i = Math.max(i, nested);
  }
  if (close === open + 2 && view.kinds[open + 1] === identifier && view.kinds[close + 1] === openParen) {
    const parametersEnd = view.partner[close + 1]!;
    if (parametersEnd < 0) return undefined;
    return { nameStart: open + 1, name: view.text[open + 1]!, parameters: close + 1, parametersEnd };
  }
  return undefined;
}

/** Index of `operator` where the tokens up to `before` spell an operator's name, else -1. */
function operatorName(view: HeaderView, before: number): number {
  for (let i = before; i >= Math.max(0, before - 8); i--) {
    if (view.text[i] === 'operator') return i;
    const kind = view.kinds[i]!;
    if (kind === openParen || kind === closeParen || kind === colon || kind === semicolon) return -1;
  }
  return -1;
}

/** `TEST(Suite, Case) {` defines a function whose identity is the whole invocation. */
function nameOrInvocation(
  view: HeaderView,
  nameStart: number,
  nameEnd: number,
  open: number,
  close: number,
  head: number,
  className: string | undefined,
): string {
  const name = view.join(nameStart, nameEnd);
  const first = nameStart === head || nameStart === view.firstToken(0, nameStart);
  if (!first || close === open + 1 || !/^_*[A-Z][A-Z0-9_]*$/.test(name) || name === className?.split('::').pop())
    return name;
  const parts: number[] = [];
  for (let i = open + 1; i < close; i++) {
    if (view.kinds[i] === comma) parts.push(i);
    else if (view.kinds[i] === openParen) i = Math.max(i, view.partner[i]!);
  }
  // SYSCALL_DEFINE3(read, unsigned int, fd, ...): the first argument names it, the others are parameters
  const simple = parts.length <= 2 && close - open - 1 === parts.length * 2 + 1;
  return `${name}(${view.join(open + 1, (simple ? close : (parts[0] ?? close)) - 1)})`;
}

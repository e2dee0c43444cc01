import { keywords, startsNoDeclaration } from './keywords.js';
import type { Lexeme } from './lexemes.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const memberOf = words('. -> ::');
const typeMarks = words('* & :: < >');
const afterLocal = words('= ; , [ :');
const afterParameter = words('= , ) [');
const tagged = words('struct union enum class goto');

/** Macros of which a later argument can be the name of a member, also where no type stands in front of it. */
const takesMember = /^(?:offsetof|container_of|\w*_entry(?:_\w+)?|\w*for_each\w*)$/i;

/**
 * Parameters and local variables that a C or C++ function plainly declares, found without a grammar: `type name` at the
 * start of a statement, a parameter or a `for`. It misses some: the second of `int a, b`, function pointers. What it gives
 * can be renamed throughout without changing what the function does. Left out is a name that anywhere is
 *
 * - a keyword, or called, or a tag (`struct name`), or a label
 * - used where no declaration of it is in force: a global of that name, or a member in C++
 * - in a preprocessor directive, or what a macro may take as a member: an argument after a type or of `list_for_each_entry`
 * - the symbolic operand of an `asm` (`[name] "r"`), which its template names too
 * - a member (`.name`, `->name`) where the function defines a `struct` itself; else members are told apart by
 *   {@link isMember}
 *
 * A name that the body of a macro uses unseen is beyond it.
 *
 * @param functions Versions of one function: a name that one of them rules out is ruled out in all.
 */
export function localNames(functions: readonly (readonly Lexeme[])[]): Set<string> {
  const uses: Uses = { declared: new Set(), excluded: new Set(), members: new Set(), definesStruct: false };
  for (const lexemes of functions) collectUses(lexemes, uses);
  const { declared, excluded, members, definesStruct } = uses;
  for (const name of excluded) declared.delete(name);
  if (definesStruct) for (const name of members) declared.delete(name);
  return declared;
}

/** Whether an occurrence names a member or a qualified name, not a local one. */
export function isMember(previous: string): boolean {
  return memberOf.has(previous);
}

interface Uses {
  declared: Set<string>;
  /** What else than a local variable some occurrence is. */
  excluded: Set<string>;
  members: Set<string>;
  definesStruct: boolean;
}

function collectUses(lexemes: readonly Lexeme[], uses: Uses): void {
  const code = withoutDirectives(lexemes, uses.excluded);
  const text = (i: number): string => code[i]?.text ?? '';
  const scopes = [new Set<string>()]; // of the names declared, the parameters' first
  const callees: string[] = []; // in front of each open parenthesis
  let inBody = false;
  let start = 0; // of the statement or parameter at hand
  for (let i = 0; i < code.length; i++) {
    const word = text(i);
    if (code[i]!.kind === 'identifier') {
      if (isMember(text(i - 1))) {
        uses.members.add(word);
      } else if ((inBody ? afterLocal : afterParameter).has(text(i + 1)) && isType(code, start, i)) {
        scopes.at(-1)!.add(word);
        uses.declared.add(word);
      } else if (!scopes.some((names) => names.has(word)) || isNoVariable(code, i, callees.at(-1) ?? '')) {
        uses.excluded.add(word);
      }
      if (keywords.has(word)) uses.excluded.add(word);
      if (inBody && (word === 'struct' || word === 'union' || word === 'class')) {
        uses.definesStruct ||= text(i + 1) === '{' || text(i + 2) === '{';
      }
    }
    if (word === '{') {
      inBody = true;
      scopes.push(new Set());
    } else if (word === '}' && scopes.length > 1) {
      scopes.pop();
    } else if (word === '(') {
      callees.push(text(i - 1));
    } else if (word === ')') {
      callees.pop();
    }
    if (word === '{' || word === '}' || word === ';' || (word === '(' && (!inBody || text(i - 1) === 'for')))
      start = i + 1;
    if (word === ',' && !inBody) start = i + 1;
  }
}

/** The lexemes that a compiler sees, white space left out; names in directives are excluded. */
function withoutDirectives(lexemes: readonly Lexeme[], excluded: Set<string>): Lexeme[] {
  const code: Lexeme[] = [];
  let atLineStart = true;
  let inDirective = false;
  let previous = '';
  for (const lexeme of lexemes) {
    const { kind, text } = lexeme;
    if (kind === 'space' && text.includes('\n')) {
      atLineStart = true;
      if (previous !== '\\') inDirective = false;
    } else if (kind !== 'space' && kind !== 'comment') {
      if (atLineStart && text === '#') inDirective = true;
      atLineStart = false;
      if (!inDirective) code.push(lexeme);
      else if (kind === 'identifier') excluded.add(text);
    }
    previous = text;
  }
  return code;
}

/** Whether the identifier at `i` is called, a tag, a label, an `asm` operand's name or a member that a macro takes. */
function isNoVariable(code: readonly Lexeme[], i: number, callee: string): boolean {
  const [before, after] = [code[i - 1]?.text ?? '', code[i + 1]?.text ?? ''];
  if (after === '(' || tagged.has(before)) return true;
  if (after === ':' && /^[{},;:)]$/.test(before)) return true;
  if (before === '[' && after === ']' && code[i + 2]?.kind === 'literal') return true;
  if (before !== ',') return false;
  return takesMember.test(callee) || code[i - 3]?.text === 'struct' || /_t$/.test(code[i - 2]!.text);
}

/** Whether the lexemes from `start` to before `end` can be a type: names, `*`, `&`, and angle brackets in pairs. */
function isType(code: readonly Lexeme[], start: number, end: number): boolean {
  const first = code[start]!;
  if (start >= end || first.kind !== 'identifier' || startsNoDeclaration.has(first.text)) return false;
  let open = 0;
  for (let i = start; i < end; i++) {
    const { kind, text } = code[i]!;
    if (kind !== 'identifier' && !typeMarks.has(text)) return false;
    if (text === '<') open++;
    if (text === '>' && --open < 0) return false;
  }
  return open === 0;
}

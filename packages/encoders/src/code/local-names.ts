import type { Lexeme } from './lexemes.js';

const words = (text: string): Set<string> => new Set(text.split(' '));

/** Keywords that no declaration of a local name starts with. */
const startsNoDeclaration = words(
  'and break case catch continue default delete do else extern friend goto if namespace new not operator or return ' +
    'sizeof switch template throw try typedef typeof using while',
);
/** Keywords that are part of a type, or no name for another reason. */
const neverNames = words(
  'auto bool char class const constexpr double enum false float inline int long nullptr private protected public register ' +
    'restrict short signed sizeof static struct this true typename union unsigned void volatile NULL',
);
const memberOf = words('. -> ->* ::');
const typeMarks = words('* & :: < >');
const afterLocal = words('= ; , [ :');
const afterParameter = words('= , ) [');
const tagged = words('struct union enum class goto #');

/**
 * Parameters and local variables that a C or C++ function plainly declares, found without a grammar: `type name` at the
 * start of a statement, a parameter or a `for`. It misses some (the second of `int a, b`, function pointers) and leaves
 * out a name that is also called, jumped to or a `struct` tag, or a member where the function defines a `struct` itself,
 * so that renaming what it gives keeps the function's meaning. A name that a macro uses unseen is beyond it.
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

interface Uses {
  declared: Set<string>;
  /** Called, jumped to or a tag. */
  excluded: Set<string>;
  /** Used as a member. */
  members: Set<string>;
  definesStruct: boolean;
}

function collectUses(lexemes: readonly Lexeme[], uses: Uses): void {
  const code = lexemes.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const text = (i: number): string => code[i]?.text ?? '';
  let inBody = false;
  let start = 0; // of the statement or parameter at hand
  for (let i = 0; i < code.length; i++) {
    const word = text(i);
    if (code[i]!.kind === 'identifier') {
      if (text(i + 1) === '(' || tagged.has(text(i - 1))) uses.excluded.add(word);
      if (memberOf.has(text(i - 1))) uses.members.add(word);
      const ends = inBody ? afterLocal : afterParameter;
      if (ends.has(text(i + 1)) && !neverNames.has(word) && isType(code, start, i)) uses.declared.add(word);
      if (inBody && (word === 'struct' || word === 'union' || word === 'class')) {
        uses.definesStruct ||= text(i + 1) === '{' || text(i + 2) === '{';
      }
    }
    if (word === '{') inBody = true;
    if (word === '{' || word === '}' || word === ';' || (word === '(' && (!inBody || text(i - 1) === 'for')))
      start = i + 1;
    if (word === ',' && !inBody) start = i + 1;
  }
}

/** Whether an occurrence names a member or a qualified name, not a local one. */
export function isMember(previous: string): boolean {
  return memberOf.has(previous);
}

function isType(code: readonly Lexeme[], start: number, end: number): boolean {
  const first = code[start]!;
  if (start >= end || first.kind !== 'identifier' || startsNoDeclaration.has(first.text)) return false;
  for (let i = start; i < end; i++) {
    if (code[i]!.kind !== 'identifier' && !typeMarks.has(code[i]!.text)) return false;
  }
  return true;
}

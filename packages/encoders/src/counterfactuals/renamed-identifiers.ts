import { type Lexeme, lexemesOf } from '../code/lexemes.js';
import { isMember, localNames } from '../code/local-names.js';
import type { Perturbation } from './counterfactual.js';

/**
 * Parameters and local variables renamed throughout, by one mapping for both functions: `v1`, `v2`, ... in random order.
 * Names in comments and literals stay. Only the form changes; applied twice it renames again. Which names count as local:
 * {@link localNames}, which leaves a name out where in doubt.
 */
export const renamedIdentifiers: Perturbation = {
  name: 'renamed-identifiers',
  effect: 'form',
  appliesTo: { train: false, test: true },
  perturbChange(change, rng) {
    const before = lexemesOf(change.function_before);
    const after = lexemesOf(change.function_after);
    const names = localNames([before, after]);
    const taken = new Set([...before, ...after].map(({ text }) => text));
    const renamed = new Map<string, string>();
    let number = 0;
    for (const name of rng.shuffle([...names].sort())) {
      do number++;
      while (taken.has(`v${number}`));
      renamed.set(name, `v${number}`);
    }
    return { ...change, function_before: rename(before, renamed), function_after: rename(after, renamed) };
  },
};

function rename(lexemes: readonly Lexeme[], renamed: ReadonlyMap<string, string>): string {
  let text = '';
  let previous = '';
  for (const lexeme of lexemes) {
    text += (lexeme.kind === 'identifier' && !isMember(previous) && renamed.get(lexeme.text)) || lexeme.text;
    if (lexeme.kind !== 'space' && lexeme.kind !== 'comment') previous = lexeme.text;
  }
  return text;
}

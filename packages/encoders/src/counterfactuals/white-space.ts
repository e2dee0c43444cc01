import { lexemesOf } from '../code/lexemes.js';
import type { Perturbation } from './counterfactual.js';

/**
 * The change replaced by one of white space only: after is before with a quarter of its runs of blanks widened, one at
 * least. What the function does stays as it was, so whatever the edit meant is gone. Applied
 * twice by one seed it is as once.
 */
export const whitespaceEdit: Perturbation = {
  name: 'whitespace-edit',
  effect: 'meaning',
  appliesTo: { train: false, test: true },
  perturbChange(change, rng) {
    let runs = 0;
    respaceAll(change.function_before, (blanks) => {
      runs++;
      return blanks;
    });
    const certain = rng.integer(Math.max(1, runs));
    let run = 0;
    const function_after = respaceAll(change.function_before, (blanks) =>
      run++ === certain || rng.next() < 0.25 ? widen(blanks, 1 + rng.integer(3)) : blanks,
    );
    return { ...change, function_after };
  },
};

/**
 * White space changed in both functions by one rule, so that the edit stays what it was: every run of blanks within a line
 * becomes one to three spaces wider, the same throughout, so no two runs become one. Only the form changes. Applied twice
 * it widens again.
 */
export const reformatted: Perturbation = {
  name: 'reformatted',
  effect: 'form',
  appliesTo: { train: false, test: true },
  perturbChange(change, rng) {
    const by = 1 + rng.integer(3);
    const wider = (blanks: string): string => widen(blanks, by);
    return {
      ...change,
      function_before: respaceAll(change.function_before, wider),
      function_after: respaceAll(change.function_after, wider),
    };
  },
};

function widen(blanks: string, by: number): string {
  return blanks + ' '.repeat(by);
}

/**
 * Passes each run of blanks within a line through `choose`. Line breaks stay, so that no directive or comment is joined to
 * what follows; so does what stands in literals and comments or after a `\` at a line's end.
 */
function respaceAll(text: string, choose: (blanks: string) => string): string {
  let result = '';
  let previous = '';
  for (const lexeme of lexemesOf(text)) {
    const free = lexeme.kind === 'space' && previous !== '\\';
    result += free ? lexeme.text.replace(/[ \t]+/g, choose) : lexeme.text;
    previous = lexeme.text;
  }
  return result;
}

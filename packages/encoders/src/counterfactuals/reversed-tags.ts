import { addMark, deleteMark } from '../encodings/diff-tags.js';
import type { Perturbation } from './counterfactual.js';

const opposite: Record<string, string> = { [addMark]: deleteMark, [deleteMark]: addMark };

/**
 * `<ADD>` and `<DEL>` exchanged on every line (ReDef, section 3.2, counterfactual 3; test only). Applied twice it is the
 * identity.
 */
export const reversedTags: Perturbation = {
  name: 'reversed-tags',
  effect: 'meaning',
  appliesTo: { train: false, test: true },
  perturbLayout: (layout) => ({
    ...layout,
    sections: layout.sections.map((section) => ({
      ...section,
      lines: section.lines.map((line) => ({ ...line, tag: opposite[line.tag] ?? line.tag })),
    })),
  }),
};

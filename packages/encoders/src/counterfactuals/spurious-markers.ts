import { changeMark } from '../encodings/after-markers.js';
import type { ShownLines } from '../layout.js';
import type { Perturbation } from './counterfactual.js';

/**
 * As many `<CHG>` marks as lines were modified, at random places (ReDef, section 3.2, counterfactual 1; train and test).
 *
 * The paper leaves open whether the true marks stay and what a place is. Ours: they are replaced, on distinct lines drawn
 * from the whole function, a modified line as likely as any other: the paper speaks of unchanged lines mislabelled as
 * modified. The same seed applied twice marks the same lines.
 */
export const spuriousMarkers: Perturbation = {
  name: 'spurious-markers',
  effect: 'meaning',
  appliesTo: { train: true, test: true },
  perturbLayout(layout, rng) {
    const [section] = layout.sections;
    const marks = section?.lines.filter(({ tag }) => tag === changeMark).length ?? 0;
    const lines = section?.lines.flatMap(singleLines) ?? [];
    const places = lines.map((_, index) => index);
    for (let i = 0; i < marks; i++) {
      const j = i + rng.integer(places.length - i);
      [places[i], places[j]] = [places[j]!, places[i]!];
    }
    const marked = new Set(places.slice(0, marks));
    return {
      ...layout,
      sections: [{ lines: lines.map((line, index) => ({ ...line, tag: marked.has(index) ? changeMark : '' })) }],
    };
  },
};

function singleLines(lines: ShownLines): ShownLines[] {
  return lines.text.split('\n').map((text) => ({ ...lines, text }));
}

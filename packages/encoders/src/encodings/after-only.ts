import { defineEncoding, type Encoding } from './encoding.js';
import { afterLines, changedLinesOf, diffOf } from './lines.js';

/**
 * The function after the change and nothing else (ReDef, section 3.2, encoding 1).
 *
 * The paper fixes: function_after without any sign of where the edits are. It leaves open: which end is cut. Ours: the
 * tail, as tokenizers truncate by default. `recover` gives the function after the change.
 */
export function afterOnly(): Encoding {
  return defineEncoding({
    name: 'after-only',
    layout(change) {
      const diff = diffOf(change);
      return { sections: [{ lines: afterLines(diff) }], share: 'joint', changedLines: changedLinesOf(diff) };
    },
    recover: (text) => ({ after: text }),
  });
}

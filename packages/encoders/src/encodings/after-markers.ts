import { defineEncoding, type Encoding } from './encoding.js';
import { afterLines, changedLinesOf, diffOf } from './lines.js';

/** The mark of encoding 2. */
export const changeMark = '<CHG>';

/**
 * The function after the change with `<CHG>` on each modified line (ReDef, section 3.2, encoding 2).
 *
 * The paper fixes: function_after, one `<CHG>` a modified line. It leaves open: where on the line the tag stands and
 * whether it is one token; what "modified" is where lines were only deleted. Ours: in front of the line with no space
 * between, as an added token; the lines that the diff adds, so a change that only deletes has no mark. `recover` gives
 * the function after the change.
 */
export function afterMarkers(): Encoding {
  return defineEncoding({
    name: 'after-markers',
    specialTokens: [changeMark],
    layout(change) {
      const diff = diffOf(change);
      return {
        sections: [{ lines: afterLines(diff, changeMark) }],
        share: 'joint',
        changedLines: changedLinesOf(diff),
      };
    },
    recover: (text, escaper) => ({ after: escaper.unescape(text.replaceAll(changeMark, '')) }),
  });
}

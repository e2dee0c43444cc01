import { formatPatch, structuredPatch } from 'diff';

export interface UnifiedDiffOptions {
  /** Path in the header, behind `a/` and `b/`. Default `function.c`. */
  path?: string | undefined;
  /**
   * Line of the file on which the text starts, so that the patch applies to the whole file: the text is then lines of it,
   * and a last one without its line break is taken to have one. Default: the text is the whole file.
   */
  firstLine?: number | undefined;
}

/** A unified diff with three lines of context, as `git apply` and `patch -p1` take it; empty where the texts are equal. */
export function unifiedDiff(
  before: string,
  after: string,
  { path = 'function.c', firstLine }: UnifiedDiffOptions = {},
): string {
  if (before === after) return '';
  const [old, fresh] = firstLine === undefined ? [before, after] : [before, after].map(endLine);
  const patch = structuredPatch(`a/${path}`, `b/${path}`, old!, fresh!, undefined, undefined, { context: 3 });
  for (const hunk of patch.hunks) {
    hunk.oldStart += (firstLine ?? 1) - 1;
    hunk.newStart += (firstLine ?? 1) - 1;
  }
  return formatPatch(patch).replace(/^Index:.*\n=+\n|^=+\n/, '');
}

function endLine(text: string): string {
  if (text === '' || text.endsWith('\n')) return text;
  return text + (/\r?\n/.exec(text)?.[0] ?? '\n');
}

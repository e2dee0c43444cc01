import { formatPatch, structuredPatch } from 'diff';

export interface UnifiedDiffOptions {
  /** Path in the header, behind `a/` and `b/`. Default `function.c`. */
  path?: string | undefined;
  /** Line of the file on which the text starts, so that the patch applies to the whole file. Default 1. */
  firstLine?: number | undefined;
}

/** A unified diff with three lines of context, as `git apply` and `patch -p1` take it; empty where the texts are equal. */
export function unifiedDiff(
  before: string,
  after: string,
  { path = 'function.c', firstLine = 1 }: UnifiedDiffOptions = {},
): string {
  if (before === after) return '';
  const patch = structuredPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3 });
  for (const hunk of patch.hunks) {
    hunk.oldStart += firstLine - 1;
    hunk.newStart += firstLine - 1;
  }
  return formatPatch(patch).replace(/^Index:.*\n=+\n|^=+\n/, '');
}

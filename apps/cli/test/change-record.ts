import type { CodeChange } from '@redef/core';

/** A function that calls `cache` afterwards. */
export function changeRecord(id: string, own: Partial<CodeChange> = {}): CodeChange {
  return {
    schema: 'redef.change/1',
    id,
    project: 'one',
    commit: id,
    parent: id,
    path: 'a.c',
    function_name: 'f',
    function_signature: 'void f(void)',
    language: 'c',
    committed_at: '2024-01-01T00:00:00Z',
    authored_at: '2024-01-01T00:00:00Z',
    message: 'Add a cache',
    function_before: 'void f(void)\n{\n}',
    function_after: 'void f(void)\n{\n  cache();\n}',
    lines_before: { start: 1, end: 3 },
    lines_after: { start: 1, end: 4 },
    hunks: [{ old_start: 2, old_count: 0, new_start: 3, new_count: 1 }],
    extractor: 'scanner/1',
    confidence: 'high',
    ...own,
  };
}

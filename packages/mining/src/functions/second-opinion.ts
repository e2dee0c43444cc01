import type { CodeChange } from '@redef/core';
import type { Language } from './language.js';
import type { FunctionSpan } from './scanner-state.js';
import type { ParsedFunction, TreeSitter } from './tree-sitter.js';

/** One version of a file and the function in question. */
export interface Version {
  bytes: Buffer;
  language: Language;
  span: FunctionSpan;
}

/**
 * How sure the bounds of a function are: `high` where the scanner has no doubt, `medium` where it has but tree-sitter
 * finds the same first and last lines in both versions, `low` otherwise. tree-sitter never overrules the scanner: on
 * macro-heavy files it is the more often wrong of the two.
 */
export async function confidenceIn(
  versions: readonly Version[],
  treeSitter: TreeSitter | undefined,
): Promise<CodeChange['confidence']> {
  let confidence: CodeChange['confidence'] = 'high';
  for (const { bytes, language, span } of versions) {
    if (span.doubts === 0) continue;
    const parsed = await treeSitter?.functions(bytes, language);
    if (!parsed?.some((found) => agrees(found, span))) return 'low';
    confidence = 'medium';
  }
  return confidence;
}

function agrees(found: ParsedFunction, span: FunctionSpan): boolean {
  return (
    found.startLine === span.startLine && found.endLine === span.endLine && lastPart(span.name) === lastPart(found.name)
  );
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

import { RedefError } from '@redef/core';
import { addedDeleted } from './added-deleted.js';
import { afterMarkers } from './after-markers.js';
import { afterOnly } from './after-only.js';
import { beforeAfter } from './before-after.js';
import { type DiffTagsOptions, diffTags } from './diff-tags.js';
import type { Encoding } from './encoding.js';
import { unifiedDiff } from './unified-diff.js';
import { unifiedWords } from './unified-words.js';

const encodings = {
  'after-only': afterOnly,
  'after-markers': afterMarkers,
  'before-after': beforeAfter,
  'diff-tags': diffTags,
  'added-deleted': addedDeleted,
  'unified-diff': unifiedDiff,
  'unified-words': unifiedWords,
} as const satisfies Record<string, (options: EncodingOptions) => Encoding>;

export type EncodingName = keyof typeof encodings;

/** Options of every encoding; each reads its own. */
export type EncodingOptions = DiffTagsOptions;

/** The five encodings of ReDef, section 3.2, in its order. */
export const paperEncodings = ['after-only', 'after-markers', 'before-after', 'diff-tags', 'added-deleted'] as const;

/** Every encoding's name, the paper's five first. */
export const encodingNames = Object.keys(encodings) as readonly EncodingName[];

/** Those that show unchanged lines around edits, and so read `contextLines`. */
export const contextEncodings: readonly EncodingName[] = ['diff-tags', 'unified-diff', 'unified-words'];

/**
 * An encoding by its name.
 *
 * @throws `RedefError` `unknown-encoding`, or `invalid-option` for an option out of range
 */
export function createEncoding(name: EncodingName, options: EncodingOptions = {}): Encoding {
  checkEncodingName(name);
  return encodings[name](options);
}

/** @throws `RedefError` `unknown-encoding` */
export function checkEncodingName(name: string): void {
  if (Object.hasOwn(encodings, name)) return;
  throw new RedefError(`There is no encoding ${JSON.stringify(name)}`, {
    code: 'unknown-encoding',
    remedy: `Choose one of ${encodingNames.join(', ')}.`,
  });
}

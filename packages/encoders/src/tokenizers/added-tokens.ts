import { RedefError } from '@redef/core';

/** Tokens on top of a vocabulary: where they stand in a text and which ids they have. */
export interface AddedTokens {
  readonly tokens: readonly string[];
  readonly ids: ReadonlyMap<string, number>;
  readonly texts: ReadonlyMap<number, string>;
  /** Matches one added token, the longest that starts at a place; `undefined` where there are none. */
  readonly pattern: RegExp | undefined;
}

/** Gives each token the next free id from `firstId` on. */
export function addedTokens(tokens: readonly string[], firstId: number): AddedTokens {
  const ids = new Map<string, number>();
  for (const token of tokens) {
    if (token === '') {
      throw new RedefError('An added token must not be empty', {
        code: 'invalid-option',
        remedy: 'Pass tokens such as <CHG> to addTokens.',
      });
    }
    if (!ids.has(token)) ids.set(token, firstId + ids.size);
  }
  const longestFirst = [...ids.keys()].sort((a, b) => b.length - a.length);
  return {
    tokens: [...ids.keys()],
    ids,
    texts: new Map([...ids].map(([token, id]) => [id, token])),
    pattern: longestFirst.length > 0 ? new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g') : undefined,
  };
}

/** Encodes the stretches between added tokens by `encodePlain`, which appends to `ids`, and puts the tokens' ids in their places. */
export function encodeAround(
  text: string,
  added: AddedTokens,
  encodePlain: (text: string, ids: number[]) => void,
): Int32Array {
  const ids: number[] = [];
  for (const stretch of stretches(text, added)) {
    const id = added.ids.get(stretch);
    if (id === undefined) encodePlain(stretch, ids);
    else ids.push(id);
  }
  return new Int32Array(ids);
}

/** A text cut before and after each added token, in order, none empty: those of `added.ids` are the tokens. */
export function stretches(text: string, added: AddedTokens): string[] {
  if (!added.pattern) return text === '' ? [] : [text];
  const found: string[] = [];
  let start = 0;
  for (const match of text.matchAll(added.pattern)) {
    if (match.index > start) found.push(text.slice(start, match.index));
    found.push(match[0]);
    start = match.index + match[0].length;
  }
  if (start < text.length) found.push(text.slice(start));
  return found;
}

/** Decodes the stretches between added tokens with `decodePlain`. */
export function decodeAround(
  ids: ArrayLike<number>,
  added: AddedTokens,
  decodePlain: (ids: number[]) => string,
): string {
  let text = '';
  let plain: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    const token = added.texts.get(ids[i]!);
    if (token === undefined) {
      plain.push(ids[i]!);
      continue;
    }
    if (plain.length > 0) text += decodePlain(plain);
    plain = [];
    text += token;
  }
  return plain.length > 0 ? text + decodePlain(plain) : text;
}

/** A pattern that matches the text itself. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

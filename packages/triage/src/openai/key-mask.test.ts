import { expect, test } from 'vitest';
import { keyMask, maskStrings } from './key-mask.js';

test('a key is taken out of words, and a word is not taken for a key', () => {
  expect(keyMask('sk-secret-0123456789\n')('You sent sk-secret-0123456789.')).toBe('You sent [key].');
  expect(keyMask('aZbYcXdWeVfUgThS')('aZbYcXdWeVfUgThS')).toBe('[key]');
  const text = 'The vector holds k tokens: {"category":"A"}, characteristically';
  for (const word of ['k', 'token', 'vector', 'category', '{"category":', 'characteristically', '', undefined]) {
    expect(keyMask(word)(text), word).toBe(text);
  }
});

test('strings of a value are masked at any depth, names and numbers are not', () => {
  const key = 'sk-secret-0123456789';
  expect(maskStrings({ a: [`${key}!`, 1, null, { [key]: key }] }, keyMask(key))).toEqual({
    a: ['[key]!', 1, null, { [key]: '[key]' }],
  });
});

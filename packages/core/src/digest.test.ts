import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Counter } from './counter.js';
import { canonicalJson, digestOf, sha256 } from './digest.js';

test('the order of members does not matter, that of items does', () => {
  expect(canonicalJson({ b: [{ d: 1, c: undefined, a: null }], a: 'é' })).toBe('{"a":"é","b":[{"a":null,"d":1}]}');
  expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
  expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
});

test('the canonical form parses back to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('sha256 is the standard one', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a counter prints its names in order', () => {
  const counter = new Counter();
  counter.add('z');
  counter.add('a', 3);
  counter.add('z');
  expect(JSON.stringify(counter)).toBe('{"a":3,"z":2}');
  expect([counter.get('none'), counter.total]).toEqual([0, 5]);
});

test('the digest of a list is that of its text, however long that would be', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => digestOf(value) === sha256(canonicalJson(value))));
  for (const list of [[], [[]], [undefined, { b: [1, []], a: undefined }], [[[{}]], 'x']])
    expect(digestOf(list)).toBe(sha256(canonicalJson(list)));
  const row = 'x'.repeat(2 ** 20);
  expect(digestOf(Array.from({ length: 600 }, () => row))).toMatch(/^[0-9a-f]{64}$/); // 600 MiB: no string is so long
});

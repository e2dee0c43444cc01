import { expect, test } from 'vitest';
import { UniqueIds } from './unique-ids.js';

test('an id that comes twice is named with both places', () => {
  const ids = new UniqueIds((place) => `rows.jsonl:${place}`);
  ids.add('a', 1);
  ids.add('__proto__', 2);
  ids.add('b', 3);
  expect(() => ids.add('a', 4)).toThrow('rows.jsonl:4: the id a stands at rows.jsonl:1 already');
  expect(() => ids.add('__proto__', 5)).toThrow('rows.jsonl:2');
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LevelOption, levelName, parseLevel } from './levels.js';
import { RowKeys } from './row-keys.js';
import type { Row } from './rows.js';
import { stripMarkers, stripTag, tagOf } from './strip.js';

function keyOf(keys: RowKeys, row: Row): string {
  keys.write(row);
  return keys.digests.join(' ');
}
const same = (level: LevelOption, first: Row, second: Row) => {
  const keys = new RowKeys(Object.keys(first), [level]);
  return keyOf(keys, first) === keyOf(keys, second);
};

describe('exact keys', () => {
  test.each([
    [null, ''],
    [null, 'null'],
    [1, '1'],
    [true, 'true'],
    [1n, 1],
    [1n, '1'],
    ['a\0', 'a'],
    ['a\0b', 'a'],
    ['é', 'e\u0301'],
    ['\ud800', '\ud801'],
    ['\ud800', '\ufffd'],
    ['a', 'a\n'],
    ['a\n', 'a\r\n'],
    [{ a: 1 }, '{"a":1}'],
    [[1], { 0: 1 }],
    [[1n], [1]],
    [0.1 + 0.2, 0.3],
  ])('%o and %o differ', (first, second) => {
    expect(same('exact', { a: first }, { a: second })).toBe(false);
  });

  test.each([
    [null, undefined],
    [null, Number.NaN],
    [0, -0],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [1.0, 1],
  ])('%o and %o are one', (first, second) => {
    expect(same('exact', { a: first }, { a: second })).toBe(true);
  });

  test('text does not move between columns', () => {
    expect(same('exact', { a: 'xy', b: '' }, { a: 'x', b: 'y' })).toBe(false);
    expect(same('tag-stripped', { a: 'CWE-1 x', b: '' }, { a: '', b: 'CWE-1 x' })).toBe(false);
    expect(same('exact', { a: 'CWE-1 ', b: 'x' }, { a: '', b: 'CWE-1 x' })).toBe(false);
  });
});

describe('strips', () => {
  test.each([
    ['CWE-79 x', 'x'],
    ['CWE-123456 x', 'x'],
    ['CWE-1', ''],
    ['CWE-1\nx', 'x'],
    [' CWE-1  x', 'x'],
    ['NVD-CWE-noinfo x', 'x'],
    ['CWE-x y', 'CWE-x y'],
    ['CWE-12x y', 'CWE-12x y'],
    ['x CWE-1 y', 'x CWE-1 y'],
    ['', ''],
  ])('tag of %j', (text, stripped) => {
    expect(stripTag(text)).toBe(stripped);
    expect(tagOf(text) !== undefined).toBe(stripped !== text);
  });

  test.each([
    ['a <S2SV_StartBug> b <S2SV_EndBug> c', 'a b c'],
    ['<StartBug> a <EndBug>', 'a'],
    ['a <S2SV_EndBug>\n', 'a\n'],
    ['a<S2SV_StartBug>b', 'ab'],
    ['<S2SV_StartBug> <S2SV_EndBug> x', 'x'],
    ['a <S2SV_StartBug> <S2SV_EndBug>', 'a '],
    ['a Bug> b', 'a Bug> b'],
    ['<S2SV_ModStart> a', '<S2SV_ModStart> a'],
  ])('markers of %j', (text, stripped) => {
    expect(stripMarkers(text)).toBe(stripped);
  });
});

test('at each level two rows have one key exactly when their texts are the same once stripped', () => {
  const piece = fc.constantFrom(
    'CWE-1 ',
    'CWE-22 ',
    '<S2SV_StartBug> ',
    ' <S2SV_EndBug>',
    'a',
    'b',
    ' ',
    '\n',
    '/**/',
    ';',
    '<S2SV_StartBug>',
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const row = fc.record({ source: fc.oneof(text, fc.constant(null)), target: text });
  const tokens = (from: string) =>
    from
      .replaceAll('/**/', ' ')
      .match(/[\w-]+|[^\w\s-]/g)
      ?.join(' ') ?? '';
  const plain: Record<string, (text: string) => string> = {
    exact: (text) => text,
    'tag-stripped': stripTag,
    // The tag and its white space are told from the text as it stands, before markers go.
    'marker-stripped': (text) =>
      JSON.stringify([text.slice(0, text.length - stripTag(text).length), stripMarkers(stripTag(text))]),
    'tag-stripped+marker-stripped': (text) => stripMarkers(stripTag(text)),
    'tag-stripped+normalised': (text) => tokens(stripTag(text)),
    'tag-stripped+marker-stripped+normalised': (text) => tokens(stripMarkers(stripTag(text))),
  };
  const levels = Object.keys(plain);
  const keys = new RowKeys(['source', 'target'], levels.map(parseLevel));
  fc.assert(
    fc.property(row, row, (first, second) => {
      keys.write(first);
      const before = keys.digests.slice();
      keys.write(second);
      for (const [index, level] of levels.entries()) {
        const shape = ({ source, target }: { source: string | null; target: string }) =>
          JSON.stringify([source === null ? null : plain[level]!(source), plain[level]!(target)]);
        const at = index * 4;
        const equal = keys.digests.subarray(at, at + 4).join() === before.subarray(at, at + 4).join();
        expect(equal, level).toBe(shape(first) === shape(second));
      }
    }),
    { numRuns: 2000 },
  );
});

test('levels have one name, in one order', () => {
  expect(levelName(['normalised', 'tag-stripped'])).toBe('tag-stripped+normalised');
  expect(levelName(['exact'])).toBe('exact');
  expect(levelName([])).toBe('exact');
  expect(levelName(parseLevel('marker-stripped + tag-stripped'))).toBe('tag-stripped+marker-stripped');
  expect(() => parseLevel('fuzzy')).toThrow(expect.objectContaining({ code: 'unknown-level' }));
});

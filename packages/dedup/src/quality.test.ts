import { expect, test } from 'vitest';
import { QualityChecker, type QualityIssue } from './quality.js';

const layout = { key: ['source'], code: 'source', repaired: 'target', labels: [], within: [] };
const good = {
  source: 'CWE-1 int f ( ) { <S2SV_StartBug> return x ; <S2SV_EndBug> }\n',
  target: '<S2SV_ModStart> return y ; <S2SV_ModEnd> } a b\n',
};

function issuesOf(row: { source: unknown; target?: unknown }): QualityIssue[] {
  const checker = new QualityChecker(layout);
  for (let at = 0; at < 40; at++) checker.add(at, good);
  checker.add(40, { target: good.target, ...row });
  const { issues, examples } = checker.result();
  const found = (Object.keys(issues) as QualityIssue[]).filter((issue) => issues[issue] > 0);
  for (const issue of found) expect(examples[issue]).toEqual([40]);
  return found;
}

test('a sound row has no issue', () => {
  expect(issuesOf(good)).toEqual([]);
  expect(issuesOf({ ...good, source: good.source.replace('return', 'char c = \'{\' ; s = "}}" ; return') })).toEqual(
    [],
  );
});

test.each<[string, { source: unknown; target?: unknown }, QualityIssue[]]>([
  ['nothing but a tag', { source: 'CWE-1 <S2SV_StartBug> <S2SV_EndBug> \n' }, ['empty-function']],
  ['no text at all', { source: null }, ['empty-function', 'missing-tag', 'missing-markers', 'length-outlier']],
  ['cut off', { source: good.source.replace('}', '') }, ['truncated-function']],
  ['closed twice', { source: good.source.replace('}', '} }') }, ['truncated-function']],
  ['no tag', { source: good.source.replace('CWE-1 ', '') }, ['missing-tag']],
  [
    'no region, no patch',
    { source: good.source.replaceAll(/<\S+> /g, ''), target: '\n' },
    ['missing-markers', 'empty-target'],
  ],
  ['a region without end', { source: good.source.replace('<S2SV_EndBug>', '') }, ['unbalanced-markers']],
  ['a region in a region', { source: good.source.replace('return', '<S2SV_StartBug> return') }, ['unbalanced-markers']],
  [
    'an end before its start',
    { source: good.source, target: 'a <S2SV_ModEnd> b <S2SV_ModStart>' },
    ['unbalanced-markers'],
  ],
  ['repaired to itself', { source: good.source, target: 'int f ( ) { return x ; }' }, ['before-equals-after']],
  ['replacement character', { source: good.source.replace('x', 'x\ufffd') }, ['damaged-encoding']],
  ['half a surrogate pair', { source: good.source.replace('x', 'x\ud83d') }, ['damaged-encoding']],
  ['UTF-8 read as Latin-1', { source: good.source.replace('x', 'Ã©') }, ['damaged-encoding']],
  ['a control character', { source: good.source.replace('x', 'x\u0000') }, ['damaged-encoding']],
  ['a hundred times as long', { source: good.source.replace('x', 'x + '.repeat(2000)) }, ['length-outlier']],
])('%s', (_name, row, issues) => {
  expect(issuesOf(row)).toEqual(issues);
});

test('insertions have a start marker alone, and umlauts are no damage', () => {
  expect(issuesOf({ ...good, target: '<S2SV_ModStart> { int y ; <S2SV_ModStart> a <S2SV_ModEnd> b c d\n' })).toEqual(
    [],
  );
  expect(issuesOf({ ...good, source: good.source.replace('x', '"Größe: naïve café"') })).toEqual([]);
});

test('tags and markers are not missing from a set of another kind', () => {
  const checker = new QualityChecker({ key: ['func'], code: 'func', labels: [], within: [] });
  checker.add(0, { func: 'int f() { return 0; }' });
  const { issues, lengths } = checker.result();
  expect(Object.values(issues).every((count) => count === 0)).toBe(true);
  expect(lengths).toMatchObject({ min: 21, median: 21, max: 21 });
  expect(new QualityChecker(layout).result().lengths).toBeNull();
});

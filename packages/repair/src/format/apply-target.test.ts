import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyTarget } from './apply-target.js';
import { formatSample } from './format-sample.js';
import { splitTokens } from './special-tokens.js';
import { myersDiff } from './token-edits.js';

const S = '<S2SV_ModStart>';
const E = '<S2SV_ModEnd>';
const N = '<S2SV_null>';
const bug = (text: string) => `<S2SV_StartBug> ${text} <S2SV_EndBug>`;

test('a hunk goes between its contexts', () => {
  expect(applyTarget('CWE-1 f ( ) { a = b ; }', `${S} { a = x y ${E} ; } ${N}\n`)).toMatchObject({
    status: 'placed',
    decidedBy: 'context',
    tokens: splitTokens('f ( ) { a = x y ; }'),
    edits: [{ start: 6, end: 7, tokens: ['x', 'y'] }],
  });
});

test('the region tells two places with the same context apart', () => {
  const result = applyTarget(`a b c 1 ; ${bug('a b c 1 ;')} end`, `${S} a b c 2 ${E} ; end ${N}`);
  expect(result).toMatchObject({ status: 'placed', tokens: splitTokens('a b c 1 ; a b c 2 ; end') });
  const insertion = applyTarget(`a b c 1 ; ${bug('a b c 1 ;')} end`, `${S} a b c new`);
  expect(insertion).toMatchObject({
    status: 'placed',
    decidedBy: 'regions',
    regionRule: 'all-regions',
    tokens: splitTokens('a b c 1 ; a b c new 1 ; end'),
  });
});

test('every region needs its edit where that is possible', () => {
  const source = `${bug('a b c 1 ;')} x ${bug('a b c 1 ;')} y`;
  const hunk = `${S} a b c new`;
  expect(applyTarget(source, `${hunk} ${hunk}`)).toMatchObject({
    status: 'placed',
    tokens: splitTokens('a b c new 1 ; x a b c new 1 ; y'),
  });
  expect(applyTarget(source, hunk)).toMatchObject({ status: 'ambiguous', regionRule: 'in-regions', complete: true });
});

test('a target outside every region is still placed, and says so', () => {
  expect(applyTarget(`a b c ; ${bug('d ;')} e f g ;`, `${S} e f g h`)).toMatchObject({
    status: 'placed',
    regionRule: 'anywhere',
  });
});

test('an ambiguous target gives its different readings, the first place first', () => {
  const result = applyTarget('a b c ; a b c ;', `${S} a b c x`);
  expect(result).toMatchObject({ status: 'ambiguous', complete: true });
  expect(result.status === 'ambiguous' && result.candidates.map(({ tokens }) => tokens.join(' '))).toEqual([
    'a b c x ; a b c ;',
    'a b c ; a b c x ;',
  ]);
});

test('places that give the same function are one reading', () => {
  expect(applyTarget('a a a a a', `${S} a a a a`)).toMatchObject({ status: 'placed', tokens: 'aaaaaa'.split('') });
});

test.each([
  ['x y z', 'expected <S2SV_ModStart>, found x'],
  [`${S} a b`, 'hunk 1: fewer than 3 context tokens'],
  [`${S} a b c`, 'hunk 1: inserts nothing'],
  [`${S} a b c x ${E} d`, 'hunk 1: 1 tokens after <S2SV_ModEnd>, expected 3'],
  [`${S} a b c <S2SV_StartBug>`, 'hunk 1: a source marker inside a target'],
  [`${S} q q q x`, 'hunk 1: the context "q q q" is not in the function'],
  [`${S} a b c x ${E} q q q`, 'hunk 1: the context "a b c" is there but "q q q" does not follow it'],
  [`${S} c d e x ${S} a b c y`, 'each hunk fits somewhere, but not all of them in order'],
])('an impossible target says why: %s', (target, reason) => {
  expect(applyTarget('a b c d e f', target)).toEqual({ status: 'impossible', reason });
});

test('an empty target, a newline alone included, changes nothing', () => {
  expect(applyTarget('CWE-20 f ( ) { }\n', '\n')).toMatchObject({
    status: 'placed',
    tokens: ['f', '(', ')', '{', '}'],
  });
});

test('unbalanced region markers are refused', () => {
  expect(() => applyTarget('a <S2SV_StartBug> b', '')).toThrow('never closed');
  expect(() => applyTarget('a <S2SV_EndBug> b', '')).toThrow('has no partner');
});

test('a function of 300,000 tokens is no trouble', () => {
  const before = Array.from({ length: 300_000 }, (_, i) => (i % 3 === 2 ? ';' : `t${i}`));
  const after = before.toSpliced(150_000, 2, 'x');
  const { source, target } = formatSample(before, after);
  expect(applyTarget(source, target)).toMatchObject({ status: 'placed', tokens: after });
  expect(applyTarget(source, '')).toMatchObject({ status: 'placed', edits: [] });
  expect(() => applyTarget(source, '', { maxCandidates: 0 })).toThrow('maxCandidates must be');
});

const tokens = fc.array(fc.constantFrom('a', 'b', ';', '{', '}'), { maxLength: 14 });

test.each([1, 2, 3])('what is placed is the function after; otherwise it is among the readings (context %i)', (n) => {
  let placed = 0;
  fc.assert(
    fc.property(tokens, tokens, fc.boolean(), (before, after, shortest) => {
      const options = { contextTokens: n, ...(shortest ? { diff: myersDiff } : {}) };
      const { source, target } = formatSample(before, after, options);
      const result = applyTarget(source, target, options);
      if (result.status === 'placed') {
        placed++;
        expect(result.tokens).toEqual(after);
        expect(result.regionRule).toBe(
          before.join() === after.join() || before.length === 0 ? 'anywhere' : 'all-regions',
        );
      } else {
        expect(result.status).toBe('ambiguous');
        if (result.status === 'ambiguous' && result.complete) {
          expect(result.candidates.map(({ tokens }) => tokens.join(' '))).toContain(after.join(' '));
        }
      }
    }),
    { numRuns: 400 },
  );
  expect(placed).toBeGreaterThan(100);
});

test('the readings are all there are: the same set as trying every pair of positions', () => {
  fc.assert(
    fc.property(tokens, tokens, fc.constantFrom(1, 2), (before, after, n) => {
      const { source, target } = formatSample(before, after, { contextTokens: n });
      if (target.split(S).length !== 2) return;
      const bare = source.replaceAll(/<S2SV_(Start|End)Bug> ?/g, '');
      const result = applyTarget(bare, target, { contextTokens: n });
      const results = new Set<string>();
      for (let start = 0; start <= before.length; start++) {
        for (let end = start; end <= before.length; end++) {
          const [opening, closing] = target.split(` ${E} `);
          const words = splitTokens(opening!.slice(S.length));
          const pad = (i: number) => before[i] ?? N;
          const context = Array.from({ length: n }, (_, k) => pad(start - n + k));
          const following = Array.from({ length: n }, (_, k) => pad(end + k));
          if (context.join(' ') !== words.slice(0, n).join(' ')) continue;
          if (closing === undefined ? end !== start : end === start || following.join(' ') !== closing) continue;
          results.add([...before.slice(0, start), ...words.slice(n), ...before.slice(end)].join(' '));
        }
      }
      if (result.status === 'ambiguous') {
        const found = result.candidates.map(({ tokens }) => tokens.join(' '));
        for (const reading of found) expect(results).toContain(reading);
      } else {
        expect(result.status).toBe('placed');
        if (result.status === 'placed' && result.decidedBy === 'context') expect(results.size).toBe(1);
      }
    }),
  );
});

test('a hostile target ends soon: thousands of hunks, thousands of places each', () => {
  const source = Array.from({ length: 3000 }, () => 'a').join(' ');
  expect(applyTarget(source, Array.from({ length: 700 }, () => `${S} a a a b`).join(' '))).toMatchObject({
    status: 'ambiguous',
    complete: false,
  });
  expect(applyTarget(source, Array.from({ length: 5000 }, () => `${S} a a a b`).join(' '))).toMatchObject({
    status: 'impossible',
  });
});

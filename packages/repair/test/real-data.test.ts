import { describe, expect, test } from 'vitest';
import {
  applyTarget,
  formatSample,
  parseSource,
  parseTarget,
  readSpelling,
  spellToken,
  splitTokens,
  tokenizeC,
} from '../src/index.js';
import { readCsvRows, sharedText } from './shared-data.js';

const validation = sharedText('vulrepair/val.csv');
describe.skipIf(validation === undefined)('the published VulRepair rows', () => {
  const rows = readCsvRows(validation ?? '').map(([, source, target]) => ({ source: source!, target: target! }));

  test('all are read, and every target is well formed', () => {
    expect(rows).toHaveLength(839);
    for (const { target } of rows) expect(parseTarget(target)).toHaveProperty('hunks');
    expect(
      rows.filter(({ target }) => target === '\n').every(({ source }) => parseSource(source).regions.length === 0),
    ).toBe(true);
  });

  test('their tokens are those of our tokenizer, in our spelling', () => {
    for (const { source } of rows.slice(0, 300)) {
      const { tokens } = parseSource(source);
      expect(tokenizeC(tokens.map(readSpelling).join(' ')).map(({ text }) => spellToken(text))).toEqual(tokens);
    }
  });

  test('each target is placed or ambiguous, and formatting a placed one again gives the same function', () => {
    let placed = 0;
    let lossless = 0;
    let sameTarget = 0;
    for (const { source, target } of rows.slice(0, 200)) {
      const result = applyTarget(source, target);
      expect(result.status).not.toBe('impossible');
      if (result.status !== 'placed') continue;
      placed++;
      const { cwe, tokens } = parseSource(source);
      const again = formatSample(tokens, result.tokens, { cwe: cwe! });
      if (again.target === splitTokens(target).join(' ')) sameTarget++;
      const back = applyTarget(again.source, again.target);
      if (back.status === 'placed') {
        lossless++;
        expect(back.tokens).toEqual(result.tokens);
      }
    }
    expect(placed).toBeGreaterThan(160);
    expect(lossless / placed).toBeGreaterThan(0.97);
    expect(sameTarget / placed).toBeGreaterThan(0.8);
  }, 120_000);
});

const buggy = sharedText('codexglue-refinement/small.test.buggy');
const fixed = sharedText('codexglue-refinement/small.test.fixed');
describe.skipIf(buggy === undefined || fixed === undefined)('the CodeXGLUE refinement pairs', () => {
  const pairs = (buggy ?? '')
    .split('\n')
    .map((line, i) => [splitTokens(line), splitTokens((fixed ?? '').split('\n')[i] ?? '')] as const)
    .slice(0, 1500);

  test.each([
    [3, 0.96],
    [10, 0.999],
  ])('apply(format(before, after)) is after wherever it is placed: context %i', (contextTokens, least) => {
    let placed = 0;
    for (const [before, after] of pairs) {
      const { source, target } = formatSample(before, after, { contextTokens });
      const result = applyTarget(source, target, { contextTokens });
      if (result.status === 'placed') {
        placed++;
        expect(result.tokens).toEqual(after);
      } else {
        expect(result.status === 'ambiguous' && result.complete).toBe(true);
        const readings = result.status === 'ambiguous' ? result.candidates : [];
        expect(readings.map(({ tokens }) => tokens.join(' '))).toContain(after.join(' '));
      }
    }
    expect(placed / pairs.length).toBeGreaterThan(least);
  });
});

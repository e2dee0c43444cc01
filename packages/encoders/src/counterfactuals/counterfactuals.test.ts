import { createRng, type SplitName } from '@redef/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange } from '../../test/changes.js';
import { lexemesOf } from '../code/lexemes.js';
import { diffLines } from '../diff/line-diff.js';
import { TextLines } from '../diff/text-lines.js';
import { createEncoding } from '../encodings/create-encoding.js';
import type { RecoveredChange } from '../encodings/encoding.js';
import { type ChangeText, type Layout, renderLayout } from '../layout.js';
import { createLexicalTokenizer } from '../tokenizers/lexical-tokenizer.js';
import {
  type CounterfactualName,
  counterfactualNames,
  counterfactualTraits,
  createCounterfactual,
  layoutPerturbations,
  paperCounterfactuals,
} from './create-counterfactual.js';
import { graftedEdit } from './grafted-edit.js';

const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 100_000 };
const change = {
  id: '00000000000000aa',
  function_before: 'int f(int a)\n{\n  a++;\n  return a;\n}',
  function_after: 'int f(int a)\n{\n  a += 2;\n  log(a);\n  return a;\n}',
};

describe('the four counterfactuals of ReDef, section 3.2', () => {
  it('perturb the splits that the paper names', () => {
    const rules = paperCounterfactuals.map((name) => {
      const { encoding, appliesTo } = createCounterfactual(name, { seed: 1 });
      return [name, encoding, appliesTo.train, appliesTo.test];
    });
    expect(rules).toEqual([
      ['spurious-markers', 'after-markers', true, true],
      ['swapped-snapshots', 'before-after', false, true],
      ['reversed-tags', 'diff-tags', false, true],
      ['swapped-blocks', 'added-deleted', true, true],
    ]);
  });

  it.each(paperCounterfactuals)('%s leaves the other splits alone', (name) => {
    const { encoding, appliesTo } = createCounterfactual(name, { seed: 7 });
    const counterfactual = createCounterfactual(name, { seed: 7 });
    const plain = createEncoding(encoding as 'diff-tags');
    fc.assert(
      fc.property(anyChange, (any) => {
        if (appliesTo.train) return;
        expect(counterfactual.encode(any, budget, 'train')).toEqual(plain.encode(any, budget));
        expect(counterfactual.encode(any, budget, 'validation')).toEqual(plain.encode(any, budget));
      }),
      { numRuns: 200 },
    );
  });

  it('reversed-tags exchanges the tags', () => {
    expect(createCounterfactual('reversed-tags', { seed: 1 }).encode(change, budget, 'test').text).toBe(
      'int f(int a)\n{\n<ADD>  a++;\n<DEL>  a += 2;\n<DEL>  log(a);\n  return a;\n}',
    );
  });

  it('spurious-markers keeps the number of marks and the function', () => {
    const counterfactual = createCounterfactual('spurious-markers', { seed: 5 });
    const plain = createEncoding('after-markers');
    const marks = (text: string): number => text.split('<CHG>').length;
    fc.assert(
      fc.property(anyChange, (any) => {
        const { text } = counterfactual.encode(any, budget, 'train');
        expect(marks(text)).toBe(marks(plain.encode(any, budget).text));
        expect(plain.recover(text)).toEqual({ after: any.function_after });
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['swapped-snapshots', 'swapped-blocks'] as const)('%s swaps half of the records', (name) => {
    const counterfactual = createCounterfactual(name, { seed: 12345 });
    const plain = createEncoding(counterfactual.encoding as 'before-after');
    let swapped = 0;
    for (let i = 0; i < 4000; i++) {
      const any = { ...change, id: i.toString(16).padStart(16, '0') };
      const shown = plain.recover(counterfactual.encode(any, budget, 'test').text);
      const truth = plain.recover(plain.encode(any, budget).text);
      if (shown.before === truth.after) {
        expect(shown.after).toBe(truth.before);
        swapped++;
      } else {
        expect(shown).toEqual(truth);
      }
    }
    expect(swapped).toBeGreaterThan(1880); // 2000 +- 3.8 standard deviations
    expect(swapped).toBeLessThan(2120);
  });
});

describe('the further counterfactuals', () => {
  const donors = [
    change,
    { id: '00000000000000bb', function_before: 'a\nb', function_after: 'a\nnew 1\nnew 2\nb\nnew 3' },
  ];
  const shown = (name: CounterfactualName, any: ChangeText, seed: number | string = 3): RecoveredChange => {
    const counterfactual = createCounterfactual(name, { seed, donors, encoding: 'before-after' });
    return createEncoding('before-after').recover(renderLayout(counterfactual.layout(any, 'test')).join(''));
  };
  const furtherNames = counterfactualNames.filter(
    (name) => !(paperCounterfactuals as readonly string[]).includes(name),
  );
  const perturbed = (name: CounterfactualName, any: ChangeText): ChangeText => {
    const { before, after } = shown(name, any);
    return { id: any.id, function_before: before!, function_after: after! };
  };
  const lexemes = (text: string): string[] =>
    lexemesOf(text)
      .filter(({ kind }) => kind !== 'space')
      .map((lexeme) => lexeme.text);

  it('null-edit has no edit, twice as once', () => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const once = perturbed('null-edit', any);
        expect(once).toEqual({ ...any, function_after: any.function_before });
        expect(perturbed('null-edit', once)).toEqual(once);
      }),
    );
  });

  it('inverse-change twice is the identity', () => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const once = perturbed('inverse-change', any);
        expect(once).toEqual({ id: any.id, function_before: any.function_after, function_after: any.function_before });
        expect(perturbed('inverse-change', once)).toEqual(any);
      }),
    );
  });

  it('grafted-edit adds the lines of another record in the places of the edits', () => {
    expect(shown('grafted-edit', change)).toEqual({
      before: change.function_before,
      after: 'int f(int a)\n{\nnew 1\nnew 2\n  return a;\n}',
    });
    expect(() => createCounterfactual('grafted-edit', { seed: 1 })).toThrow(/at least two donors/);
    const rows = [change, { id: 'bb', function_before: 'a' } as ChangeText];
    expect(() => createCounterfactual('grafted-edit', { seed: 1, donors: rows })).toThrow(
      /function_after to be a string/,
    );
    expect(() =>
      createCounterfactual('grafted-edit', { seed: 1, donors: [change, change] }).encode(change, budget, 'test'),
    ).toThrow(/no other donor/);
  });

  it('grafted-edit uses each block of the donor once, so that no result is larger than both', () => {
    const lines = (count: number, line: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => line(i)).join('\n');
    const everySecond = {
      id: 'aa',
      function_before: lines(400, (i) => `${i};`),
      function_after: lines(400, (i) => `${i - (i % 2)};`),
    };
    const donor = { id: 'bb', function_before: '', function_after: lines(300, (i) => `new ${i};`) };
    const grafted = graftedEdit([everySecond, donor]).perturbChange!(everySecond, createRng(1));
    expect(grafted.function_after.split('\n').filter((line) => line.startsWith('new'))).toHaveLength(300);
    expect(grafted.function_after.split('\n')).toHaveLength(500);
  });

  it('grafted-edit twice is as once', () => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const once = perturbed('grafted-edit', any);
        expect(perturbed('grafted-edit', once)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });

  it('renamed-identifiers twice renames again', () => {
    const local = { ...change, function_after: change.function_after.replace('log(a)', 'a = 3') };
    const once = perturbed('renamed-identifiers', local);
    const twice = perturbed('renamed-identifiers', once);
    for (const side of ['function_before', 'function_after'] as const) {
      expect(once[side]).toBe(local[side].replace(/\ba\b/g, 'v1'));
      expect(twice[side]).toBe(local[side].replace(/\ba\b/g, 'v2'));
    }
  });

  it('renamed-identifiers maps local names one to one in both functions', () => {
    const text = (name: string): string =>
      `int f(struct s *${name}, int size)\n{\n    /* ${'dev'} */ ${name}->dev = size + g("dev");\n    return v1;\n}`;
    const { before, after } = shown('renamed-identifiers', {
      id: 'ab',
      function_before: text('dev'),
      function_after: `${text('dev')}\n`,
    });
    expect(after).toBe(`${before}\n`);
    expect(before).toMatch(
      /^int f\(struct s \*v[23], int v[23]\)\n\{\n {4}\/\* dev \*\/ v[23]->dev = v[23] \+ g\("dev"\);\n {4}return v1;\n\}$/,
    );
  });

  it('shuffled-lines keeps the changed lines of each side and their places', () => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const once = perturbed('shuffled-lines', any);
        const { before, after, edits } = diffLines(any.function_before, any.function_after);
        const own = (lines: TextLines, side: 'before' | 'after', count: 'deleted' | 'added'): string[] =>
          edits.flatMap((edit) => lines.list(edit[side], edit[side] + edit[count])).sort();
        expect(own(new TextLines(once.function_after), 'after', 'added')).toEqual(own(after, 'after', 'added'));
        expect(own(new TextLines(once.function_before), 'before', 'deleted')).toEqual(own(before, 'before', 'deleted'));
      }),
    );
  });

  it('dropped-line leaves one changed line less', () => {
    const size = ({ function_before, function_after }: ChangeText): number =>
      diffLines(function_before, function_after).edits.reduce((sum, { added, deleted }) => sum + added + deleted, 0);
    fc.assert(
      fc.property(anyChange, (any) => {
        const once = perturbed('dropped-line', any);
        expect(once.function_before).toBe(any.function_before);
        if (once.function_after === '') return; // one empty line reads as none
        expect(size(once)).toBe(Math.max(0, size(any) - 1));
        const twice = perturbed('dropped-line', once);
        if (twice.function_after !== '') expect(size(twice)).toBe(Math.max(0, size(any) - 2));
      }),
      { numRuns: 2000 },
    );
  });

  it('whitespace-edit and reformatted change nothing but white space', () => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const edit = perturbed('whitespace-edit', any);
        expect(lexemes(edit.function_after)).toEqual(lexemes(any.function_before));
        expect(perturbed('whitespace-edit', edit)).toEqual(edit);
        const form = perturbed('reformatted', any);
        expect(lexemes(form.function_before)).toEqual(lexemes(any.function_before));
        expect(lexemes(form.function_after)).toEqual(lexemes(any.function_after));
      }),
      { numRuns: 2000 },
    );
    expect(shown('whitespace-edit', change).after).not.toBe(change.function_before);
    const { before, after } = perturbedSides('reformatted');
    expect(before).not.toBe(change.function_before);
    expect(diffLines(before, after).edits).toEqual(diffLines(change.function_before, change.function_after).edits);
  });

  it('reformatted keeps an edit of white space for every seed', () => {
    const wider = { id: 'a', function_before: '{\n  return a;\n}', function_after: '{\n    return a;\n}' };
    for (let seed = 0; seed < 100; seed++) {
      const { layout } = createCounterfactual('reformatted', { seed });
      expect(layout(wider, 'test').changedLines).toBe(2);
    }
  });

  it('refuse a split that there is not, which would be left as it is', () => {
    const { layout, encode } = createCounterfactual('reversed-tags', { seed: 1 });
    for (const split of ['Test', 'tset', undefined] as unknown as SplitName[]) {
      const message = `split must be train, validation, test, got ${JSON.stringify(split)}`;
      expect(() => layout(change, split)).toThrow(message);
      expect(() => encode(change, budget, split)).toThrow(message);
    }
  });

  const perturbedSides = (name: CounterfactualName): { before: string; after: string } => {
    const { function_before: before, function_after: after } = perturbed(name, change);
    return { before, after };
  };

  it.each(counterfactualNames)('%s depends on the seed and the record alone', (name) => {
    const options = { donors, ...(furtherNames.includes(name) ? { encoding: 'diff-tags' as const } : {}) };
    const records = fc.sample(anyChange, { numRuns: 60, seed: 9 }).map((any, i) => ({ ...any, id: `${i}` }));
    const encode = (seed: number, order: readonly ChangeText[]): Map<string, string> => {
      const counterfactual = createCounterfactual(name, { seed, ...options });
      return new Map(order.map((any) => [any.id, counterfactual.encode(any, budget, 'test').text]));
    };
    const forward = encode(1, records);
    expect(encode(1, [...records].reverse())).toEqual(new Map([...forward].reverse()));
    for (const any of records) expect(encode(1, [any]).get(any.id)).toBe(forward.get(any.id));
    if (!['reversed-tags', 'null-edit', 'inverse-change', 'renamed-identifiers'].includes(name)) {
      expect(encode(2, records)).not.toEqual(forward);
    }
  });

  it.each(counterfactualNames)('%s takes a function of 150,000 lines', (name) => {
    const long = { id: 'cc', function_before: '\n'.repeat(100), function_after: '\n'.repeat(150_000) };
    const counterfactual = createCounterfactual(name, { seed: 1, donors: [...donors, long] });
    expect(counterfactual.encode(long, { ...budget, maxTokens: 512 }, 'test').inputIds.length).toBeLessThanOrEqual(512);
  });

  it('refuse a row without an id, which the draws depend on', () => {
    const { id: _, ...rest } = change;
    expect(() => createCounterfactual('swapped-blocks', { seed: 1 }).layout(rest as ChangeText, 'test')).toThrow(
      expect.objectContaining({ code: 'invalid-change' }),
    );
  });

  it('refuse unknown names and encodings that do not go together', () => {
    expect(() => createCounterfactual('nothing' as 'null-edit', { seed: 1 })).toThrow(/no counterfactual "nothing"/);
    expect(() => createCounterfactual('toString' as 'null-edit', { seed: 1 })).toThrow(/no counterfactual/);
    expect(() => createCounterfactual('reversed-tags', { seed: 1, encoding: 'after-only' })).toThrow(
      /diff-tags, not after-only/,
    );
    expect(() => createEncoding('constructor' as 'diff-tags')).toThrow(/no encoding/);
    expect(() => counterfactualTraits('null-edit', 'zz' as 'diff-tags')).toThrow(/no encoding "zz"/);
  });
});

describe('the same seed twice', () => {
  const twice = (
    name: 'reversed-tags' | 'swapped-snapshots' | 'swapped-blocks' | 'spurious-markers',
    any: ChangeText,
  ): Layout[] => {
    const { perturbation } = layoutPerturbations[name];
    const plain = createEncoding(layoutPerturbations[name].encoding).layout(any);
    const once = perturbation.perturbLayout!(plain, createRng(11));
    return [plain, once, perturbation.perturbLayout!(once, createRng(11))];
  };
  it.each(['reversed-tags', 'swapped-snapshots', 'swapped-blocks'] as const)('%s is the identity', (name) => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const [plain, , second] = twice(name, any);
        expect(second).toEqual(plain);
      }),
      { numRuns: 1000 },
    );
  });
  it('spurious-markers is the same as once', () => {
    fc.assert(
      fc.property(anyChange, (any) => {
        const [, once, second] = twice('spurious-markers', any);
        expect(second).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });
});

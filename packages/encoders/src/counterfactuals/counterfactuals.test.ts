import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange } from '../../test/changes.js';
import { createEncoding } from '../encodings/create-encoding.js';
import { createLexicalTokenizer } from '../tokenizers/lexical-tokenizer.js';
import { createCounterfactual, paperCounterfactuals } from './create-counterfactual.js';

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
    const { encoding, appliesTo, encode } = createCounterfactual(name, { seed: 7 });
    expect(encode).toBeTypeOf('function');
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

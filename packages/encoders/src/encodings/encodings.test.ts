import { describe, expect, it } from 'vitest';
import { createLexicalTokenizer } from '../tokenizers/lexical-tokenizer.js';
import { createEncoding } from './create-encoding.js';

const change = {
  id: '00000000000000aa',
  function_before: 'int f(int a)\n{\n  a++;\n  return a;\n}',
  function_after: 'int f(int a)\n{\n  a += 2;\n  log(a);\n  return a;\n}',
};
const tokenizer = createLexicalTokenizer();
const roomy = { tokenizer, maxTokens: 1_000_000 };

describe('the five encodings of ReDef, section 3.2', () => {
  it('after-only', () => {
    expect(createEncoding('after-only').encode(change, roomy).text).toBe(change.function_after);
  });
  it('after-markers', () => {
    expect(createEncoding('after-markers').encode(change, roomy).text).toBe(
      'int f(int a)\n{\n<CHG>  a += 2;\n<CHG>  log(a);\n  return a;\n}',
    );
  });
  it('before-after', () => {
    expect(createEncoding('before-after').encode(change, roomy).text).toBe(
      `[Before]:\n${change.function_before}\n[After]:\n${change.function_after}`,
    );
  });
  it('diff-tags', () => {
    expect(createEncoding('diff-tags').encode(change, roomy).text).toBe(
      'int f(int a)\n{\n<DEL>  a++;\n<ADD>  a += 2;\n<ADD>  log(a);\n  return a;\n}',
    );
    expect(createEncoding('diff-tags', { contextLines: 0 }).encode(change, roomy).text).toBe(
      '<DEL>  a++;\n<ADD>  a += 2;\n<ADD>  log(a);',
    );
  });
  it('added-deleted', () => {
    expect(createEncoding('added-deleted').encode(change, roomy).text).toBe(
      '[ADDED LINES]:\n  a += 2;\n  log(a);\n[DELETED LINES]:\n  a++;',
    );
  });
});

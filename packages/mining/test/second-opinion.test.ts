import { afterAll, expect, test } from 'vitest';
import { TreeSitter } from '../src/functions/tree-sitter.js';
import { mineFunctionChanges } from '../src/index.js';
import { collect, FixtureRepository } from './git-fixture.js';

const repositories: FixtureRepository[] = [];
afterAll(() => {
  for (const repository of repositories) repository.remove();
});

/** Two versions of a file that differ in one line. */
async function mine(file: (value: number) => string, options = {}, path = 'a.c') {
  const repository = new FixtureRepository().commit(
    { message: '1', files: { [path]: file(1) } },
    { message: '2', files: { [path]: file(2) } },
  );
  repositories.push(repository);
  const [change] = await collect(mineFunctionChanges(repository.path, options));
  return change!;
}

// the braces of the file do not balance, but f can be read all the same
const unclosed = (value: number): string =>
  `int f(int a)\n{\n    return ${value};\n}\n\nint g(int a)\n{\n    if (a) {\n        return 1;\n}\n`;
// each arm opens a brace that another condition closes: the parser cannot follow
const torn = (value: number): string =>
  `int f(int a)\n{\n#ifdef X\n    if (a) {\n#elif defined(Y)\n    while (a) for (;;) {{\n#endif\n    a = ${value};\n#ifdef X\n    }\n#elif defined(Y)\n    }}\n#endif\n    return a;\n}\n`;

test('no doubt needs no second opinion', async () => {
  expect(await mine((value) => `int f(int a)\n{\n    return ${value};\n}\n`)).toMatchObject({
    confidence: 'high',
    extractor: 'scanner/2',
  });
});

test('a doubt that tree-sitter settles is medium, and the record says who was asked', async () => {
  expect(await mine(unclosed)).toMatchObject({
    function_name: 'f',
    lines_after: { start: 1, end: 4 },
    confidence: 'medium',
    extractor: 'scanner/2+tree-sitter-c/0.24',
  });
  expect(await mine(unclosed, {}, 'a.cc')).toMatchObject({
    language: 'cpp',
    extractor: 'scanner/2+tree-sitter-cpp/0.23',
  });
});

test('without a second opinion, or one that differs, a doubt is low', async () => {
  expect(await mine(unclosed, { secondOpinion: false })).toMatchObject({ confidence: 'low', extractor: 'scanner/2' });
  const change = await mine(torn, { secondOpinion: false });
  expect(change).toMatchObject({ function_name: 'f', lines_after: { start: 1, end: 15 }, confidence: 'low' });
});

test('tree-sitter reads both languages', async () => {
  const treeSitter = new TreeSitter();
  const functions = await treeSitter.functions(
    Buffer.from('int *f(int a)\n{\n  return 0;\n}\nint (*g(void))(int) { return 0; }\n'),
    'c',
  );
  expect(functions).toEqual([
    { name: 'f', startLine: 1, endLine: 4 },
    { name: 'g', startLine: 5, endLine: 5 },
  ]);
  expect(
    await treeSitter.functions(Buffer.from('namespace n { struct S { int m() { return 1; } }; }\n'), 'cpp'),
  ).toMatchObject([{ name: 'm' }]);
  expect(await treeSitter.functions(Buffer.alloc(3 * 2 ** 20, 'x'), 'c')).toBeUndefined();
  await treeSitter.close();
});

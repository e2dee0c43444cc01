import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

// A README's ```ts run block is executed against the built package and must print the ```text block that follows it.
const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['packages', 'apps'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => join(root, kind, name)),
);
const block = /```ts run\n([\s\S]*?)```\s*```text\n([\s\S]*?)```/g;

for (const folder of folders) {
  const readme = join(folder, 'README.md');
  if (!existsSync(readme)) continue;
  for (const [index, [, code, output]] of [...readFileSync(readme, 'utf8').matchAll(block)].entries()) {
    test(`${readme.slice(root.length)} snippet ${index + 1} prints what it shows`, () => {
      const scratch = mkdtempSync(join(folder, '.readme-'));
      try {
        const file = join(scratch, 'snippet.mjs');
        writeFileSync(file, ts.transpile(code!, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }));
        const env = { ...process.env, TMPDIR: scratch };
        expect(execFileSync(process.execPath, [file], { cwd: scratch, env, encoding: 'utf8' })).toBe(output);
      } finally {
        rmSync(scratch, { recursive: true });
      }
    });
  }
}

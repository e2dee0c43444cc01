import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { RedefError } from '@redef/core';
import type { SyntaxParser } from './tree-paths.js';

const packages = { c: 'tree-sitter-c', cpp: 'tree-sitter-cpp' } as const;

/**
 * A parser for {@link treePaths}. Needs the package `web-tree-sitter`, and `tree-sitter-c` or `tree-sitter-cpp` for a
 * grammar by name.
 *
 * @param grammar a language, or the bytes of a WebAssembly grammar
 * @throws `RedefError` `package-missing`, `invalid-grammar`
 */
export async function loadSyntaxParser(grammar: keyof typeof packages | Uint8Array = 'c'): Promise<SyntaxParser> {
  const { Language, Parser } = await installed('web-tree-sitter', () => import('web-tree-sitter'));
  const bytes = typeof grammar === 'string' ? await grammarOf(packages[grammar]) : grammar;
  await Parser.init();
  const parser = new Parser();
  try {
    return parser.setLanguage(await Language.load(bytes));
  } catch (cause) {
    throw new RedefError('The grammar is none that the installed web-tree-sitter can load', {
      code: 'invalid-grammar',
      remedy: 'Pass the bytes of a .wasm grammar built for it, or a language by its name: c or cpp.',
      cause,
    });
  }
}

function grammarOf(name: string): Promise<Uint8Array> {
  return installed(name, () => readFile(createRequire(import.meta.url).resolve(`${name}/${name}.wasm`)));
}

async function installed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new RedefError(`Syntax paths need the package ${name}`, {
      code: 'package-missing',
      remedy: 'npm install web-tree-sitter tree-sitter-c tree-sitter-cpp',
      cause,
    });
  }
}

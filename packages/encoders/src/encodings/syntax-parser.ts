import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { RedefError } from '@redef/core';
import type { SyntaxParser } from './tree-paths.js';

/**
 * A parser for {@link treePaths}, of C unless another grammar is given. Needs the package `web-tree-sitter`, and
 * `tree-sitter-c` for its grammar.
 *
 * @param grammar bytes of a WebAssembly grammar
 * @throws `RedefError` `package-missing`, `invalid-grammar`
 */
export async function loadSyntaxParser(grammar?: Uint8Array): Promise<SyntaxParser> {
  const { Language, Parser } = await installed(() => import('web-tree-sitter'));
  const bytes = grammar ?? (await installed(() => readFile(grammarOfC())));
  await Parser.init();
  const parser = new Parser();
  try {
    return parser.setLanguage(await Language.load(bytes));
  } catch (cause) {
    throw new RedefError('The grammar is none that the installed web-tree-sitter can load', {
      code: 'invalid-grammar',
      remedy: 'Pass the bytes of a .wasm grammar built for it, or none for that of tree-sitter-c.',
      cause,
    });
  }
}

function grammarOfC(): string {
  return createRequire(import.meta.url).resolve('tree-sitter-c/tree-sitter-c.wasm');
}

async function installed<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new RedefError('Syntax paths need the packages web-tree-sitter and tree-sitter-c', {
      code: 'package-missing',
      remedy: 'npm install web-tree-sitter tree-sitter-c',
      cause,
    });
  }
}

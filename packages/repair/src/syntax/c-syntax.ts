import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { RedefError } from '@redef/core';
import type { Node, Tree } from 'web-tree-sitter';
import { layOut } from '../c/lay-out.js';
import { readSpelling } from '../c/spelling.js';
import { dataFlow } from './data-flow.js';

/** How a patched function parses next to the function it was made from. */
export interface SyntaxCheck {
  /** No error after the patch: C's grammar accepts it whole. */
  valid: boolean;
  /** Wrong or missing pieces; a function full of macros may have some that no patch is to blame for. */
  errorsBefore: number;
  errorsAfter: number;
}

/** A parser of C (tree-sitter-c). It keeps memory of its own until it is closed. */
export interface CSyntax {
  /** Pieces that the grammar does not accept, or misses. */
  countErrors(code: string): number;
  /** {@link countErrors} of a function's tokens before and after a patch, as the samples spell them. */
  check(before: readonly string[], after: readonly string[]): SyntaxCheck;
  /** The tree and every subtree with children, as S-expressions: for CodeBLEU's syntax match. */
  subtrees(code: string): string[];
  /** What the variables come from, an edge a text: for CodeBLEU's data-flow match. */
  dataFlow(code: string): string[];
  close(): void;
}

/**
 * Needs the packages `web-tree-sitter` and `tree-sitter-c`.
 *
 * @param grammar bytes of another WebAssembly grammar than that of `tree-sitter-c`
 * @throws `RedefError` `parser-missing` where they are not installed, `invalid-grammar`
 */
export async function createCSyntax(grammar?: Uint8Array): Promise<CSyntax> {
  const { Language, Parser } = await load(() => import('web-tree-sitter'));
  await Parser.init();
  const bytes = grammar ?? (await load(() => readFile(resolveGrammar())));
  const language = await Language.load(bytes).catch((cause: unknown) => {
    throw new RedefError('the grammar is not a WebAssembly grammar that web-tree-sitter can load', {
      code: 'invalid-grammar',
      remedy: 'Pass the bytes of a grammar built for the installed web-tree-sitter, or none for that of tree-sitter-c.',
      cause,
    });
  });
  const parser = new Parser();
  parser.setLanguage(language);

  const withTree = <T>(code: string, read: (root: Node) => T): T => {
    const tree: Tree | null = parser.parse(code);
    if (!tree) throw new RedefError('the parser gave no tree', { code: 'parser-failed', remedy: 'Report this text.' });
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
  const countErrors = (code: string): number =>
    withTree(code, (root) =>
      root.hasError ? walk(root).filter(({ isError, isMissing }) => isError || isMissing).length : 0,
    );

  return {
    countErrors,
    check: (before, after) => {
      const [errorsBefore, errorsAfter] = [before, after].map((tokens) => countErrors(toText(tokens)));
      return { valid: errorsAfter === 0, errorsBefore: errorsBefore!, errorsAfter: errorsAfter! };
    },
    subtrees: (code) =>
      withTree(code, (root) => {
        return walk(root)
          .filter((node) => node.childCount > 0 || node.parent === null)
          .map(String);
      }),
    dataFlow: (code) => withTree(code, dataFlow),
    close: () => parser.delete(),
  };
}

/** All nodes, each before its children. */
function walk(root: Node): Node[] {
  const nodes: Node[] = [];
  const open: Node[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    nodes.push(node);
    for (let i = node.childCount - 1; i >= 0; i--) open.push(node.child(i)!);
  }
  return nodes;
}

function toText(tokens: readonly string[]): string {
  return `${layOut(tokens.map(readSpelling), { indent: '', unit: '  ', lineBreak: '\n' })}\n`;
}

function resolveGrammar(): string {
  return createRequire(import.meta.url).resolve('tree-sitter-c/tree-sitter-c.wasm');
}

async function load<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new RedefError('checking syntax needs the packages web-tree-sitter and tree-sitter-c', {
      code: 'parser-missing',
      remedy: 'npm install web-tree-sitter tree-sitter-c',
      cause,
    });
  }
}

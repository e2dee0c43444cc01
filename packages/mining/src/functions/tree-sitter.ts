import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Language as Grammar, type Node, Parser } from 'web-tree-sitter';
import type { Language } from './language.js';

/** A function as tree-sitter sees it: 1-based lines, and the last part of its name. */
export interface ParsedFunction {
  name: string;
  startLine: number;
  endLine: number;
}

const grammars = { c: 'tree-sitter-c', cpp: 'tree-sitter-cpp' } as const;
/** Larger files are not parsed: at 3 to 4 MB a second a second opinion would cost more than it is worth. */
const maxBytes = 2 * 2 ** 20;

/** The parsers of a run, loaded when first asked for. */
export class TreeSitter {
  readonly #parsers = new Map<Language, Promise<Parser>>();

  /** The function definitions of a file, nested ones left out; `undefined` for a file too large to parse. */
  async functions(bytes: Buffer, language: Language): Promise<ParsedFunction[] | undefined> {
    if (bytes.length > maxBytes) return undefined;
    let parser = this.#parsers.get(language);
    if (!parser) {
      parser = load(language);
      this.#parsers.set(language, parser);
    }
    const tree = (await parser).parse(bytes.toString('latin1'));
    if (!tree) return undefined;
    const functions: ParsedFunction[] = [];
    try {
      collect(tree.rootNode, functions);
    } finally {
      tree.delete();
    }
    return functions;
  }

  async close(): Promise<void> {
    for (const parser of this.#parsers.values()) (await parser).delete();
    this.#parsers.clear();
  }
}

let ready: Promise<void> | undefined;

async function load(language: Language): Promise<Parser> {
  ready ??= Parser.init();
  await ready;
  const parser = new Parser();
  parser.setLanguage(await Grammar.load(await readFile(grammarPath(grammars[language]))));
  return parser;
}

/** In the build's own folder; a source tree uses the package that the build takes it from. */
function grammarPath(name: string): string {
  if (fileURLToPath(import.meta.url).endsWith('.ts'))
    return createRequire(import.meta.url).resolve(`${name}/${name}.wasm`);
  return fileURLToPath(new URL(`./grammars/${name}.wasm`, import.meta.url));
}

function collect(node: Node, into: ParsedFunction[]): void {
  for (const child of node.namedChildren) {
    if (!child) continue;
    if (child.type !== 'function_definition') {
      collect(child, into);
      continue;
    }
    const name = nameOf(child.childForFieldName('declarator'));
    if (name) into.push({ name, startLine: child.startPosition.row + 1, endLine: child.endPosition.row + 1 });
  }
}

function nameOf(declarator: Node | null): string | undefined {
  let node = declarator;
  while (node) {
    const inner: Node | null =
      node.type === 'parenthesized_declarator'
        ? (node.namedChildren[0] ?? null)
        : (node.childForFieldName('declarator') ?? node.childForFieldName('name'));
    if (!inner) return node.text;
    node = inner;
  }
  return undefined;
}

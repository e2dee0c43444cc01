import { editFlags } from '../diff/edit-flags.js';
import { editsOf } from '../diff/line-diff.js';
import type { ShownLines } from '../layout.js';
import { addMark, deleteMark } from './diff-tags.js';
import { defineEncoding, type Encoding } from './encoding.js';

/** The part of a tree-sitter node that is used. Indexes are UTF-16 units, as `web-tree-sitter` counts them. */
export interface SyntaxNode {
  readonly type: string;
  readonly isNamed: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly children: readonly (SyntaxNode | null)[];
}

export interface SyntaxTree {
  readonly rootNode: SyntaxNode;
  delete(): void;
}

/** A parser with its language set, such as `Parser` of `web-tree-sitter`. */
export interface SyntaxParser {
  parse(text: string): SyntaxTree | null;
}

export interface TreePathsOptions {
  parser: SyntaxParser;
  /** For changes whose `language` is `cpp`. Default `parser`. */
  cppParser?: SyntaxParser;
}

/**
 * The changed nodes of the syntax tree, each as its path from the function's root and its source:
 * `<DEL>function_definition/compound_statement/return_statement: a`. Not in the paper, which names tree-based forms as
 * open (section 6.1). The leaves of both trees are compared as two lists of texts; each stretch of changed leaves is one
 * node line, its path the named nodes that hold the whole stretch, white space in its source collapsed, deleted before
 * added. Moved white space, a `\` at the end of a line and comments' indentation are no change. `changedLines` of the result counts these node lines,
 * not lines of the function. `recover` gives the sources of each side, one a line.
 */
export function treePaths({ parser: ofC, cppParser = ofC }: TreePathsOptions): Encoding {
  return defineEncoding({
    name: 'tree-paths',
    specialTokens: [addMark, deleteMark],
    escapesItself: true,
    layout({ function_before, function_after, language }, escaper) {
      const parser = language === 'cpp' ? cppParser : ofC;
      const before = leavesOf(parser, function_before);
      const after = leavesOf(parser, function_after);
      const texts = (leaves: readonly Leaf[]): string[] => leaves.map(({ text }) => text);
      const lines: ShownLines[] = [];
      for (const edit of editsOf(before.length, after.length, editFlags(texts(before), texts(after)))) {
        const deleted = before.slice(edit.before, edit.before + edit.deleted);
        const added = after.slice(edit.after, edit.after + edit.added);
        if (deleted.length > 0)
          lines.push({ tag: deleteMark, text: escaper.escape(nodeLine(deleted, function_before)), edit: 'deleted' });
        if (added.length > 0)
          lines.push({ tag: addMark, text: escaper.escape(nodeLine(added, function_after)), edit: 'added' });
      }
      return { sections: [{ lines }], share: 'joint', changedLines: lines.length };
    },
    recover(text, escaper) {
      const side = (mark: string): string =>
        text
          .split('\n')
          .filter((line) => line.startsWith(mark))
          .map((line) => escaper.unescape(line.slice(line.indexOf(': ') + 2)))
          .join('\n');
      return { before: side(deleteMark), after: side(addMark) };
    },
  });
}

/** A named node above a leaf. */
interface Ancestor {
  type: string;
  depth: number;
  parent: Ancestor | undefined;
}

interface Leaf {
  text: string;
  start: number;
  end: number;
  ancestor: Ancestor | undefined;
}

function leavesOf(parser: SyntaxParser, source: string): Leaf[] {
  const tree = parser.parse(source);
  if (!tree) return [];
  try {
    const leaves: Leaf[] = [];
    const pending: { node: SyntaxNode; parent: Ancestor | undefined }[] = tree.rootNode.children
      .map((node) => ({ node: node!, parent: undefined }))
      .reverse();
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { node, parent } = next;
      const { children } = node;
      if (children.length === 0) {
        const { startIndex: start, endIndex: end } = node;
        if (end > start) leaves.push({ text: source.slice(start, end), start, end, ancestor: parent });
        continue;
      }
      const ancestor = node.isNamed ? { type: node.type, depth: (parent?.depth ?? 0) + 1, parent } : parent;
      for (let i = children.length - 1; i >= 0; i--) pending.push({ node: children[i]!, parent: ancestor });
    }
    return leaves;
  } finally {
    tree.delete();
  }
}

function nodeLine(leaves: readonly Leaf[], source: string): string {
  const types: string[] = [];
  const common = leaves.map(({ ancestor }) => ancestor).reduce(commonAncestor);
  for (let node = common; node; node = node.parent) types.push(node.type);
  const text = source.slice(leaves[0]!.start, leaves.at(-1)!.end).replace(/\s+/g, ' ');
  return `${types.reverse().join('/')}: ${text}`;
}

function commonAncestor(a: Ancestor | undefined, b: Ancestor | undefined): Ancestor | undefined {
  let [left, right] = [a, b];
  while (left !== right) {
    if ((left?.depth ?? 0) >= (right?.depth ?? 0)) left = left?.parent;
    else right = right?.parent;
  }
  return left;
}

export { loadSyntaxParser } from './encodings/syntax-parser.js';
export { type SyntaxNode, type SyntaxParser, type SyntaxTree, treePaths } from './encodings/tree-paths.js';

export { type SyntaxNode, type SyntaxParser, type SyntaxTree, treePaths } from './encodings/tree-paths.js';

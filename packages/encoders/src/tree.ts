export { loadSyntaxParser } from './encodings/syntax-parser.js';
export {
  type SyntaxNode,
  type SyntaxParser,
  type SyntaxTree,
  type TreePathsOptions,
  treePaths,
} from './encodings/tree-paths.js';

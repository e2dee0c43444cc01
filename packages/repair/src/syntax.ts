export { type CSyntax, createCSyntax, type SyntaxCheck } from './syntax/c-syntax.js';

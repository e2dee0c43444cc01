export { type CliContext, exitCodes } from './context.js';
export { run } from './run.js';

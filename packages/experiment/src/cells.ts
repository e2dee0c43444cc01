// What the process of one cell needs: it loads in a quarter of the time of the whole package.
export { type CellOutcome, type RunCellOptions, runCell } from './cells/run-cell.js';
export { studyFolder } from './study-folder.js';
export { listCells } from './study-plan.js';

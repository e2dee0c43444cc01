import { auditCommand } from './audit.js';
import { auditDataCommand } from './audit-data.js';
import { dedupCommand } from './dedup.js';
import { encodeCommand } from './encode.js';
import { mineCommand } from './mine.js';
import { predictCommand } from './predict.js';
import { repairCommand } from './repair.js';
import { reportCommand } from './report.js';
import { scoreCommand } from './score.js';
import { splitCommand } from './split.js';
import { studyCommand } from './study.js';
import { trainCommand } from './train.js';
import { triageCommand } from './triage.js';

/** In the order of the help text: the chain first. */
export const commands = [
  studyCommand,
  mineCommand,
  triageCommand,
  auditCommand,
  splitCommand,
  dedupCommand,
  encodeCommand,
  trainCommand,
  predictCommand,
  reportCommand,
  repairCommand,
  scoreCommand,
  auditDataCommand,
];

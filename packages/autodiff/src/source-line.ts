import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const thisPackage = dirname(fileURLToPath(import.meta.url)) + sep;

/** The file and line of a stack frame; the name of a folder may hold parentheses. */
const place = /(?:^\s*at (?:async )?|\()((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):\d+\)?$/;

/**
 * `file:line` of the innermost caller outside this package: the line of the user's code that asked for an op. Shape
 * errors and failures at run time name it.
 */
export function sourceLine(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  Error.stackTraceLimit = limit;
  for (const frame of frames) {
    const [, file, line] = place.exec(frame) ?? [];
    if (!file || file.endsWith('<anonymous>')) continue; // evaluated text
    const path = file.startsWith('file://') ? fileURLToPath(file) : file;
    if (!path.startsWith(thisPackage) || /\.test\.[cm]?[jt]s$/.test(path)) return `${path}:${line}`;
  }
  return 'unknown line';
}

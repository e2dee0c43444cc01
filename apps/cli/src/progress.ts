import type { ProgressEvent } from '@redef/core';

const plainIntervalMs = 5_000;
const terminalIntervalMs = 100;

/** Draws progress on a terminal as one line that rewrites itself, elsewhere as a plain line every five seconds. */
export function createProgress(
  stderr: NodeJS.WritableStream & { isTTY?: boolean },
  now: () => number,
): (event: ProgressEvent & { seconds_left?: number }) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  let shownStage = '';
  return ({ stage, done, total, unit, seconds_left }) => {
    const finished = total !== undefined && done >= total;
    const interval = stderr.isTTY ? terminalIntervalMs : plainIntervalMs;
    if (stage === shownStage && !finished && now() - shownAt < interval) return;
    if (stage !== shownStage && shownStage !== '' && stderr.isTTY) stderr.write('\n');
    shownAt = now();
    shownStage = finished ? '' : stage;
    const amount = total === undefined ? `${done} ${unit}` : `${done}/${total} ${unit}`;
    const left = seconds_left === undefined || finished ? '' : `, ${spellTime(seconds_left)} left`;
    const line = `${stage}: ${amount}${left}`;
    stderr.write(stderr.isTTY ? `\r\u001b[K${line}${finished ? '\n' : ''}` : `${line}\n`);
  };
}

export function spellTime(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

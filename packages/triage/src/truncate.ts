export interface Cut {
  text: string;
  /** Characters left out; 0 where the text came through whole. */
  left_out: number;
}

/** The first `max` characters, with a line that says how many were left out. */
export function cutEnd(text: string, max: number): Cut {
  if (text.length <= max) return { text, left_out: 0 };
  const end = characterBoundary(text, max);
  const left_out = text.length - end;
  return { text: `${text.slice(0, end)}\n${mark(left_out)}`, left_out };
}

/**
 * A long function cut to about `max` characters: whole lines are kept in the order of their distance from a line in
 * `near` (0-based; the signature counts as near), and every gap says how many characters it left out.
 */
export function cutAround(text: string, near: readonly number[], max: number): Cut {
  if (text.length <= max) return { text, left_out: 0 };
  const lines = text.split('\n');
  const distance = distances(lines.length, [0, ...near]);
  const order = lines.map((_, index) => index).sort((a, b) => distance[a]! - distance[b]! || a - b);
  const kept = new Set<number>();
  let room = max;
  for (const index of order) {
    room -= lines[index]!.length + 1;
    if (room < 0) break;
    kept.add(index);
  }
  if (kept.size === 0) return cutEnd(text, max); // one enormous line

  const parts: string[] = [];
  let gap = 0;
  let left_out = 0;
  const closeGap = () => {
    if (gap > 0) parts.push(mark(gap));
    left_out += gap;
    gap = 0;
  };
  lines.forEach((line, index) => {
    if (kept.has(index)) {
      closeGap();
      parts.push(line);
    } else {
      gap += line.length + 1;
    }
  });
  closeGap();
  return { text: parts.join('\n'), left_out };
}

const mark = (characters: number) => `[... ${characters} characters left out ...]`;

/** Distance of each line to the nearest of `near`, in two sweeps. */
function distances(count: number, near: readonly number[]): Int32Array {
  const distance = new Int32Array(count).fill(0x3fffffff);
  for (const index of near) if (index < count) distance[index] = 0;
  for (let i = 1; i < count; i++) distance[i] = Math.min(distance[i]!, distance[i - 1]! + 1);
  for (let i = count - 2; i >= 0; i--) distance[i] = Math.min(distance[i]!, distance[i + 1]! + 1);
  return distance;
}

/** Never splits a surrogate pair. */
function characterBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

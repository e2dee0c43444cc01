import { RedefError, shown } from '@redef/core';

/**
 * What two rows may differ in and still count as one (R+R, sections 3.1.2 and 6):
 * `exact` in nothing; `tag-stripped` in the leading CWE tag; `marker-stripped` in the bug markers;
 * `normalised` in white space and comments between C-family tokens; a line after `#` is a directive there, hence code.
 */
export type Level = 'exact' | 'tag-stripped' | 'marker-stripped' | 'normalised';

/** One level, or several applied together: `['tag-stripped', 'marker-stripped']`. */
export type LevelOption = Level | readonly Level[];

/** A level as the key writer applies it. */
export interface Stripping {
  tag: boolean;
  markers: boolean;
  layout: boolean;
}

const order: readonly Level[] = ['exact', 'tag-stripped', 'marker-stripped', 'normalised'];

/** The rows of the audit's table: each strip alone as in the paper, then together. */
export const defaultLevels: readonly LevelOption[] = [
  'exact',
  'tag-stripped',
  'marker-stripped',
  ['tag-stripped', 'marker-stripped'],
  ['tag-stripped', 'marker-stripped', 'normalised'],
];

/**
 * The canonical name: members in a fixed order, joined by `+`, `exact` only when alone.
 *
 * @throws `RedefError` `unknown-level`
 */
export function levelName(level: LevelOption): string {
  const members = typeof level === 'string' ? [level] : level;
  if (!Array.isArray(members)) throw unknownLevel(level);
  const unknown = members.find((member) => !order.includes(member));
  if (unknown !== undefined) throw unknownLevel(unknown);
  return order.filter((member) => member !== 'exact' && members.includes(member)).join('+') || 'exact';
}

/**
 * Reads a level's name as {@link levelName} writes it.
 *
 * @throws `RedefError` `unknown-level`
 */
export function parseLevel(name: string): LevelOption {
  if (typeof name !== 'string') throw unknownLevel(name);
  return name.split('+').map((member) => {
    const level = order.find((known) => known === member.trim());
    if (level === undefined) throw unknownLevel(member);
    return level;
  });
}

export function strippingOf(level: LevelOption): Stripping {
  const name = levelName(level);
  return {
    tag: name.includes('tag-stripped'),
    markers: name.includes('marker-stripped'),
    layout: name.includes('normalised'),
  };
}

function unknownLevel(name: unknown): RedefError {
  return new RedefError(`unknown level ${shown(name)}`, {
    code: 'unknown-level',
    remedy: `Use one or more of ${order.join(', ')}, joined by +.`,
  });
}

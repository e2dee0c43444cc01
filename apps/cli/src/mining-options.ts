import { defaultProblemWords, type MineOptions } from '@redef/mining';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { collect, integer } from './options.js';

/** The options of {@link addMiningOptions} as commander gives them. */
export interface MiningFlags {
  label?: 'loose' | 'strict' | 'any';
  ratio?: number;
  windowDays?: number;
  allClean?: true;
  allRejects?: true;
  keepRelanded?: true;
  problemWord?: string[];
  since?: string;
  until?: string;
  range?: string;
  branch?: string;
  author?: string;
  path?: string[];
  ignorePath?: string[];
  extensions?: string;
  miningSeed?: number;
}

export function addMiningOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--label <rule>',
        'which revert links count: the paper’s words, the hash right after revert wording, or also quoted subjects',
      ).choices(['loose', 'strict', 'any']),
    )
    .option('--ratio <n>', 'clean candidates per defective one (default: 2)', positive)
    .option(
      '--window-days <n>',
      'how far in time a clean candidate may lie from its defective one (default: 180)',
      integer(0),
    )
    .option('--all-clean', 'keep every clean candidate that survives the screen')
    .option('--all-rejects', 'a reject row for every other commit too: merges, commits of several or of other files')
    .option('--keep-relanded', 'keep changes that were reverted and landed again among the defective')
    .option(
      '--problem-word <text>',
      `a later message with it rejects a clean candidate; repeatable (default: ${defaultProblemWords.join(', ')})`,
      collect,
    )
    .option('--since <date>', 'only commits from this time on')
    .option('--until <date>', 'only commits up to this time')
    .option('--range <A..B>', 'only commits of this range')
    .option('--branch <name>', 'whose history (default: HEAD)')
    .option('--author <text>', 'only commits whose author holds this text')
    .option('--path <pattern>', 'only files at or under it; repeatable', collect)
    .option('--ignore-path <pattern>', 'files that do not count when a commit’s files are counted; repeatable', collect)
    .option('--extensions <list>', 'file extensions, comma-separated')
    .option('--mining-seed <n>', 'of the matching of clean candidates (default: 0)', integer(0));
}

export function miningOptions(flags: MiningFlags): Omit<MineOptions, 'project' | 'index' | 'workers'> {
  const { problemWord, path, ignorePath, extensions, miningSeed, ...same } = flags;
  return {
    ...defined(same),
    ...(problemWord && { problemWords: problemWord }),
    ...(path && { paths: path }),
    ...(ignorePath && { ignorePaths: ignorePath }),
    ...(extensions !== undefined && { extensions: extensions.split(',').map((name) => name.trim()) }),
    ...(miningSeed !== undefined && { seed: miningSeed }),
  };
}

function defined(flags: Omit<MiningFlags, 'problemWord' | 'path' | 'ignorePath' | 'extensions' | 'miningSeed'>) {
  const { label, ratio, windowDays, allClean, allRejects, keepRelanded, since, until, range, branch, author } = flags;
  return {
    ...(label && { label }),
    ...(ratio !== undefined && { ratio }),
    ...(windowDays !== undefined && { windowDays }),
    ...(allClean && { allClean }),
    ...(allRejects && { allRejects }),
    ...(keepRelanded && { keepRelanded }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(range !== undefined && { range }),
    ...(branch !== undefined && { branch }),
    ...(author !== undefined && { author }),
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number above 0');
  return value;
}

import { RedefError } from '@redef/core';

/** Which commits and files to look at. Every filter says which changes may come out; later commits and reverts are sought in the whole history. */
export interface ChangeFilter {
  /** The project's name in the records. Default: the name of the repository's folder. */
  project?: string;
  /** A branch, tag or commit whose history is mined. Default `HEAD`. */
  branch?: string;
  /** Only commits of `A..B` (reachable from B, not from A), or reachable from `B` alone. Wins over `branch` as the end of the history. */
  range?: string;
  /** Only commits committed at this time or later / earlier: an ISO 8601 date, with or without a time. */
  since?: string | Date;
  until?: string | Date;
  /** Only commits whose `Name <email>` holds this text (any case) or matches this expression. */
  author?: string | RegExp;
  /** Only files at or under these paths; `*` stands for any characters but `/`, `**` for any. */
  paths?: readonly string[];
  /** File extensions, without the dot. Default {@link defaultExtensions}. */
  extensions?: readonly string[];
  /** Files at or under these paths count for nothing: a commit of one more such file is still a single-file commit. Default none. */
  ignorePaths?: readonly string[];
  /** Larger files are rejected unread. Default 8 MiB. */
  maxFileBytes?: number;
  /** Ask tree-sitter where the scanner is unsure of a function's bounds. Default true. */
  secondOpinion?: boolean;
  /**
   * A reject for every commit that passes the filters and yields no change: merges, roots, commits of several or of other
   * files as well. Default false: these are counts, for they are most of a history and none is a near miss.
   */
  allRejects?: boolean;
}

export type LabelRule = 'loose' | 'strict' | 'any';

/** Options of the two classes; see the paper's section 3.1 for the rules whose defaults are kept. */
export interface MineOptions extends ChangeFilter {
  /**
   * Which revert links make a change defective. `loose` is the paper's rule: the message has the word "revert" and the
   * hash of an earlier commit. `strict`: the identifier follows revert wording. `any`: these and quoted subjects without
   * an identifier. Default `loose`; the evidence of each row says which hold.
   */
  label?: LabelRule;
  /** Keep defective candidates that landed again afterwards. Default false: they are rejects. */
  keepRelanded?: boolean;
  /** Clean candidates per defective one. Default 2 (the paper's pools before triage: 11,807 and 6,257). */
  ratio?: number;
  /** How far, in days, a clean candidate may lie from the defective one it is matched to. Default 180. */
  windowDays?: number;
  /** Keep every clean candidate that survives the screen, without matching. Default false. */
  allClean?: boolean;
  /** A later message that holds one of these, in any case, rejects a clean candidate. Default {@link defaultProblemWords}. */
  problemWords?: readonly string[];
  /** How many later commits are looked at. Default 5. */
  laterCommits?: number;
  /** Default 0. */
  seed?: number | string;
  /** A folder that keeps what was read of this repository, so that a later run reads only the new commits. Default: a temporary one. */
  index?: string;
  /** Worker processes, 2 or more; the rows are the same for any number. Default 0, and 1: all work in this process. */
  workers?: number;
}

export const defaultExtensions = ['c', 'h', 'cc', 'cpp', 'cxx', 'c++', 'hh', 'hpp', 'hxx', 'h++'] as const;

/** The words that the paper names, in section 3.1. */
export const defaultProblemWords = ['revert', 'rollback', 'fix bug', 'regression'] as const;

/** A filter in the form that the passes use. */
export interface ResolvedFilter {
  project: string;
  accepts(path: string): boolean;
  ignores(path: string): boolean;
  acceptsCommit(commit: { author: string; committedSeconds: number }): boolean;
  maxFileBytes: number;
  secondOpinion: boolean;
}

export function resolveFilter(options: ChangeFilter, project: string): ResolvedFilter {
  const extensions = new Set(
    (options.extensions ?? defaultExtensions).map((name) => name.replace(/^\./, '').toLowerCase()),
  );
  if (extensions.size === 0) throw invalid('extensions', 'at least one extension', '[]');
  const within = pathMatcher(options.paths);
  const ignored = pathMatcher(options.ignorePaths);
  const since = seconds('since', options.since) ?? Number.NEGATIVE_INFINITY;
  const until = seconds('until', options.until) ?? Number.POSITIVE_INFINITY;
  const author = authorMatcher(options.author);
  return {
    project: options.project || project,
    accepts: (path) => extensions.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) && (!within || within(path)),
    ignores: (path) => ignored?.(path) ?? false,
    acceptsCommit: (commit) =>
      commit.committedSeconds >= since && commit.committedSeconds <= until && author(commit.author),
    maxFileBytes: wholeNumber('maxFileBytes', options.maxFileBytes ?? 8 * 2 ** 20, 1),
    secondOpinion: options.secondOpinion ?? true,
  };
}

function authorMatcher(author: string | RegExp | undefined): (text: string) => boolean {
  if (author === undefined) return () => true;
  if (typeof author === 'string') {
    const wanted = author.toLowerCase();
    return (text) => text.toLowerCase().includes(wanted);
  }
  const expression = new RegExp(author.source, author.flags.replace(/[gy]/g, ''));
  return (text) => expression.test(text);
}

function pathMatcher(patterns: readonly string[] | undefined): ((path: string) => boolean) | undefined {
  if (!patterns || patterns.length === 0) return undefined;
  const expressions = patterns.map((pattern) => {
    const body = pattern
      .replace(/^\.?\//, '')
      .replace(/\/+$/, '')
      .split(/(\*\*|\*)/)
      .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
      .join('');
    return new RegExp(`^${body}(?:/|$)`, 's');
  });
  return (path) => expressions.some((expression) => expression.test(path));
}

function seconds(name: string, value: string | Date | undefined): number | undefined {
  if (value === undefined) return undefined;
  const time = value instanceof Date ? value.getTime() : Date.parse(value);
  if (Number.isNaN(time)) throw invalid(name, 'an ISO 8601 date such as 2024-01-31', String(value));
  return time / 1000;
}

export function wholeNumber(name: string, value: number, least: number): number {
  if (!Number.isInteger(value) || value < least) throw invalid(name, `an integer of at least ${least}`, String(value));
  return value;
}

export function invalid(name: string, expected: string, found: string): RedefError {
  return new RedefError(`${name}: expected ${expected}, got ${found}`, {
    code: 'invalid-option',
    remedy: `Correct the option ${name}, or leave it out for its default.`,
  });
}

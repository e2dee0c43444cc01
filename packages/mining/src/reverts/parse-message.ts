/** How a message names a commit. */
export type Reference =
  | { kind: 'hash'; hash: string }
  /** A Subversion revision, as git-svn's trailer gives it. */
  | { kind: 'svn'; revision: number }
  | { kind: 'pull-request'; number: number }
  | { kind: 'subject'; subject: string };

export interface Mention {
  reference: Reference;
  /** Which form of words it stands in. */
  shape: RevertShape;
  /** The reference follows wording that says it is what is reverted. */
  strict: boolean;
}

export type RevertShape =
  | 'this-reverts-commit'
  | 'reverts-trailer'
  | 'revert-wording'
  | 'revert-list'
  | 'partial-revert'
  | 'conventional-revert'
  | 'backout'
  | 'svn-revision'
  | 'pull-request'
  | 'quoted-subject'
  | 'context';

export interface ParsedMessage {
  /** The paper's keyword is in the message. */
  keyword: boolean;
  reverts: Mention[];
  /** What the message says lands again. */
  relands: Mention[];
}

/** Hex digits that can be an object id: not part of a word, path, `owner/repo@id` or `#id`; a link to `/commit/<id>` is one. */
const hashPattern = String.raw`(?:(?<=\/commit\/)|(?<![\w@#./-]))[0-9a-f]{7,64}(?![\w-])(?!\.\w)`;
/** What may stand between revert wording and the id. `to`, `in` and `by` are not here: they name another commit. */
const filler = String.raw`(?:[\s:"'\`(\[<-]|\b(?:of|the|commits?|changesets?|changes?|patch(?:es)?|merge|git|sha1?|hash|id|revision|following|these|two|three|made|parts?)\b|https?:\/\/[\w./-]*?\/commit\/|"(?:[^"\n]|"(?=\w))*")`;
const verb = String.raw`(?<![\w-])(?:(?<!\b(?:not|never|without|avoid|before|after|until|since|was|were|been|be|than|of|to|by) )revert(?:s|ed|ing)?|revert(?:s|ing)?)`;
const separator = String.raw`(?:\s*(?:,|;|&|\+|\/|\band\b)\s*|\s*\n\s*[-*]?\s*)(?:and\s+)?(?:(?:the\s+)?commits?\s+)?`;

const revertPhrase = new RegExp(`${verb}\\b${filler}{0,12}(${hashPattern})((?:${separator}${hashPattern})*)`, 'gi');
const backoutPhrase = new RegExp(
  `(?<![\\w-])(?:back(?:s|ed|ing)?[ -]?out|roll(?:s|ed|ing)?[ -]?back|undo(?:es)?)\\b${filler}{0,8}(${hashPattern})((?:${separator}${hashPattern})*)`,
  'gi',
);
const relandPhrase = new RegExp(
  `(?<![\\w-])(?:re-?land(?:s|ed|ing)?|re-?appl(?:y|ies|ied|ying)|re-?instat(?:e|es|ed|ing)|un-?revert(?:s|ed|ing)?)\\b${filler}{0,8}(${hashPattern})((?:${separator}${hashPattern})*)`,
  'gi',
);
const listHead = /(?<![\w-])revert(?:s|ed|ing)?\b[^\n:]{0,60}:[ \t]*\n/gi;
const svnPhrase =
  /(?<![\w-])(?:revert(?:s|ed|ing)?|back(?:s|ed)? ?out)\b(?:[\s:"'([-]|\b(?:svn|commits?|changes?|revisions?|the|of|from|in|part)\b){0,6}r(\d{2,7})((?:(?:\s*(?:,|&|\band\b)\s*)r\d{2,7})*)(?![\w-])/gi;
const pullPhrase =
  /(?<![\w-])revert(?:s|ed|ing)?\s+(?:(?:pr|pull request|mr)\s+)?(?:[\w.-]+\/[\w.-]+)?[#!](\d{1,7})\b/gi;
const quotedRevert = /^(?:\[[^\]]*\]\s*|[\w/.-]+:\s+)?revert(?:s|ed)?:?\s+["'“](.+)["'”]/i;
const quotedReland =
  /^(?:\[[^\]]*\]\s*|[\w/.-]+:\s+)?(?:re-?land|re-?apply|un-?revert|re-?instate):?\s+["'“](.+)["'”]/i;

/**
 * Finds what a commit message says it reverts and lands again. Only the wording is judged: whether a reference is a
 * commit, and an earlier one, is for the history to say.
 *
 * A message without the paper's keyword "revert" yields only what other wording (back out, roll back, reland) names.
 */
export function parseRevertMessage(message: string): ParsedMessage {
  const keyword = /revert/i.test(message);
  const relands = new Mentions();
  const reverts = new Mentions();
  const [subject = ''] = message.split('\n', 1);
  if (/re-?land|re-?appl|re-?instat|un-?revert/i.test(message)) {
    for (const match of message.matchAll(relandPhrase)) relands.addHashes(match[0], 'revert-wording', true);
    const quoted = quotedReland.exec(subject)?.[1];
    if (quoted)
      relands.add({ reference: { kind: 'subject', subject: quoted }, shape: 'quoted-subject', strict: false });
  }
  if (/back(?:s|ed|ing)?[ -]?out|roll(?:s|ed|ing)?[ -]?back|undo/i.test(message)) {
    for (const match of message.matchAll(backoutPhrase)) reverts.addHashes(match[0], 'backout', true);
    addRevisions(message, reverts);
  }
  if (!keyword) return { keyword, reverts: reverts.list, relands: relands.list };

  for (const match of message.matchAll(revertPhrase)) {
    reverts.addHashes(match[0].slice(match[0].indexOf(match[1]!)), shapeOf(message, match), true);
  }
  addLists(message, reverts);
  if (/^revert(?:\([^)]*\))?!?:/i.test(subject)) {
    for (const [, refs] of message.matchAll(/^Refs?: (.+)$/gim)) reverts.addHashes(refs!, 'conventional-revert', true);
  }
  addRevisions(message, reverts);
  for (const [, number] of message.matchAll(pullPhrase)) {
    reverts.add({ reference: { kind: 'pull-request', number: Number(number) }, shape: 'pull-request', strict: true });
  }
  const quoted = quotedRevert.exec(subject)?.[1];
  if (quoted) reverts.add({ reference: { kind: 'subject', subject: quoted }, shape: 'quoted-subject', strict: false });
  // all other ids are context, which the paper's rule counts as well
  reverts.addHashes(message, 'context', false);
  return { keyword, reverts: reverts.list, relands: relands.list };
}

function shapeOf(message: string, match: RegExpMatchArray): RevertShape {
  const before = message.slice(Math.max(0, match.index! - 24), match.index);
  if (/\bpartial(?:ly)?\s*$/i.test(before) || /^\w+\s+(?:the\s+)?parts?\b/i.test(match[0])) return 'partial-revert';
  const lineStart = before === '' || before.endsWith('\n');
  if (/\bthis\s*$/i.test(before) && /^reverts\s+(?:the\s+)?commits?\b/i.test(match[0])) return 'this-reverts-commit';
  if (lineStart && /^reverts?:?\s/i.test(match[0]) && match.index! > 0) return 'reverts-trailer';
  return match[2] ? 'revert-list' : 'revert-wording';
}

/** `This reverts the following commits:` and then a line for each, that begins with its id. */
function addLists(message: string, reverts: Mentions): void {
  for (const head of message.matchAll(listHead)) {
    for (const line of message.slice(head.index + head[0].length).split('\n')) {
      if (line.trim() === '') continue;
      const [, hash] = /^\s*(?:[-*+]|\d+[.)])?\s*(?:commit\s+)?([0-9a-f]{7,64})(?![\w-])/i.exec(line) ?? [];
      if (!hash) break;
      reverts.addHashes(hash, 'revert-list', true);
    }
  }
}

function addRevisions(message: string, reverts: Mentions): void {
  for (const [phrase] of message.matchAll(svnPhrase)) {
    for (const [, revision] of phrase.matchAll(/\br(\d{2,7})\b/g)) {
      reverts.add({ reference: { kind: 'svn', revision: Number(revision) }, shape: 'svn-revision', strict: true });
    }
  }
}

const anyHash = new RegExp(hashPattern, 'gi');

class Mentions {
  readonly list: Mention[] = [];
  readonly #seen = new Set<string>();

  /** The first mention of a reference stands: the callers go from the most telling wording to the least. */
  add(mention: Mention): void {
    const key = JSON.stringify(mention.reference);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.list.push(mention);
  }

  addHashes(text: string, shape: RevertShape, strict: boolean): void {
    for (const [found] of text.matchAll(anyHash)) {
      const hash = found.toLowerCase();
      // a number is a date or a bug more often than an abbreviated id
      if (/^\d+$/.test(hash) && hash.length < 40 && !strict) continue;
      this.add({ reference: { kind: 'hash', hash }, shape, strict });
    }
  }
}

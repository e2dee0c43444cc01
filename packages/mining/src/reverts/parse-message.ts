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
const anyHash = new RegExp(hashPattern, 'gi');
const hashHere = new RegExp(hashPattern, 'iy');

// Wording. Each pattern finds a verb only; what follows is read step by step, so that no message takes long.
const revertVerb =
  /(?<![\w-])(?<!\b(?:not|never|without|avoid|before|after|until|since|instead of|don't) )revert(?:s|ed|ing)?(?![\w-])/gi;
const backoutVerb = /(?<![\w-])(?:back(?:s|ed|ing)?[ -]?out|roll(?:s|ed|ing)?[ -]?back|undo(?:es)?)(?![\w-])/gi;
const relandVerb =
  /(?<![\w-])(?:re-?land(?:s|ed|ing)?|re-?appl(?:y|ies|ied|ying)|re-?instat(?:e|es|ed|ing)|un-?revert(?:s|ed|ing)?)(?![\w-])/gi;
/** Before the noun: `undo the accidental revert of <id>` lands that commit again. */
const undoesRevert =
  /(?<![\w-])(?:undo(?:es|ing)?|undid|revert(?:s|ed|ing)?|cancel(?:s|l?ed)?|back(?:s|ed|ing)?[ -]?out)\s(?:(?:the|an?|my|our|that|last|previous|earlier|accidental|mistaken|erroneous|wrong)\s)*$/i;
/** One step of what may stand between a verb and the id. `to`, `in` and `by` are not here: they name another commit. */
const filler =
  /[ \t]+|\n(?![ \t]*\n)|[:'`(<[-]|(?:of|the|commits?|changesets?|changes?|patch(?:es)?|merge|git|sha1?|hash|id|revision|following|these|two|three|made|svn|from|part|parts)\b|https?:\/\/[\w./-]{0,200}?\/commit\/|"[^"\n]{0,300}"(?!\w)|"(?=[0-9a-f]{7})/iy;
/** Between two ids of a list. */
const separator =
  /[ \t]*(?:[,;&+/]|\band\b)[ \t]*\n?[ \t]*(?:and[ \t]+)?(?:(?:the[ \t]+)?commits?[ \t]+)?|[ \t]*\n[ \t]*(?:[-*][ \t]*)?/iy;
const revision = /r(\d{2,7})(?![\w-])/iy;
const maxFillers = 24;

const listHead = /(?<![\w-])revert(?:s|ed|ing)?\b[^\n:]{0,60}:[ \t]*\n/gi;
/** A line that begins with an id, or a quoted subject between two such lines. */
const listItem =
  /[ \t]*(?:[-*+][ \t]*|\d{1,3}[.)][ \t]*)?(?:(?:commit[ \t]+)?([0-9a-f]{7,64})(?![\w-])[^\n]*(?:\n|$)|"[^\n]*\n)|[ \t]*\n/iy;
/** `revert the old cache added in commit <id>`: up to ten words say what of the commit, and none that it was at fault for what is reverted. */
const originPhrase =
  /(?<![\w-])(?<!\b(?:not|never|without|avoid|before|after|until|since|instead of|don't) )revert(?:s|ed|ing)?\s(?!in\b|by\b)((?:[^\s.,;:]{1,40}\s){1,10}?)(?:added|introduced|made|done|landed)\s(?:in|by|with)\s(?:the\s)?(?:commits?\s)?/gi;
const faultWords =
  /\b(?:bugs?|regress\w*|problems?|issues?|crash\w*|leaks?|warnings?|errors?|failures?|break\w*|fix\w*)\b/i;
const pullPhrase =
  /(?<![\w-])revert(?:s|ed|ing)?[ \t]+(?:(?:pr|pull request|mr)[ \t]+)?(?:[\w.-]{1,100}\/[\w.-]{1,100})?[#!](\d{1,7})\b/gi;
const quotedRevert = /^(?:\[[^\]]{0,80}\]\s{0,9}|[\w/.-]{1,80}:\s{1,9})?revert(?:s|ed)?:?\s{1,9}["'“](.{1,999})["'”]/i;
const quotedReland =
  /^(?:\[[^\]]{0,80}\]\s{0,9}|[\w/.-]{1,80}:\s{1,9})?(?:re-?land|re-?apply|un-?revert|re-?instate):?\s{1,9}["'“](.{1,999})["'”]/i;

/**
 * Finds what a commit message says it reverts and lands again. Only the wording is judged: whether a reference is a
 * commit, and an earlier one, is for the history to say.
 *
 * A message without the paper's keyword "revert" yields only what other wording (back out, roll back, reland) names.
 */
export function parseRevertMessage(message: string): ParsedMessage {
  const keyword = /revert/i.test(message);
  const reverts = new Mentions();
  const relands = new Mentions();
  const [subject = ''] = message.split('\n', 1);
  // what a subject quotes is another commit's subject: its wording says nothing of this one
  const quotes = /^[^"'“\n]{0,120}["'“](.{1,999})["'”]/.exec(subject);
  const quoted = quotedRevert.test(subject) || quotedReland.test(subject) ? (quotes?.[0].length ?? 0) : 0;
  const phrases = quoted > 0 ? maskQuoted(message, quotes![0].length - quotes![1]!.length - 1, quoted - 1) : message;
  addPhrases(
    phrases,
    relandVerb,
    () => relands,
    () => 'revert-wording',
  );
  const landed = quotedReland.exec(subject)?.[1];
  if (landed) relands.add({ reference: { kind: 'subject', subject: landed }, shape: 'quoted-subject', strict: false });
  if (keyword) {
    const isUndone = ({ before, words }: Phrase): boolean => /^revert\s/i.test(words) && undoesRevert.test(before);
    addPhrases(phrases, revertVerb, (phrase) => (isUndone(phrase) ? relands : reverts), shapeOf);
    addOrigins(phrases, reverts);
    addLists(message, reverts);
    if (/^revert(?:\([^)]{0,80}\))?!?:/i.test(subject)) {
      for (const [, refs] of message.matchAll(/^Refs?: (.+)$/gim))
        reverts.addHashes(refs!, 'conventional-revert', true);
    }
  }
  addPhrases(
    phrases,
    backoutVerb,
    () => reverts,
    () => 'backout',
  );
  if (!keyword) return { keyword, reverts: reverts.list, relands: relands.list };

  for (const [, number] of phrases.matchAll(pullPhrase)) {
    reverts.add({ reference: { kind: 'pull-request', number: Number(number) }, shape: 'pull-request', strict: true });
  }
  const reverted = quotedRevert.exec(subject)?.[1];
  if (reverted)
    reverts.add({ reference: { kind: 'subject', subject: reverted }, shape: 'quoted-subject', strict: false });
  // all other ids are context, which the paper's rule counts as well
  reverts.addHashes(message, 'context', false);
  return { keyword, reverts: reverts.list, relands: relands.list };
}

/** The message with a stretch of its subject turned into dots, so that all offsets stay. */
function maskQuoted(message: string, from: number, to: number): string {
  return message.slice(0, from) + '.'.repeat(Math.max(0, to - from)) + message.slice(to);
}

/** A verb, what may follow it, and the ids after that. */
interface Phrase {
  /** Before the verb, up to 40 characters. */
  before: string;
  /** From the verb to the first id. */
  words: string;
  ids: number;
}

function addPhrases(
  message: string,
  verb: RegExp,
  into: (phrase: Phrase) => Mentions,
  shape: (phrase: Phrase) => RevertShape,
): void {
  for (const match of message.matchAll(verb)) {
    const start = match.index + match[0].length;
    let at = start;
    let step = 0;
    for (; step < maxFillers; step++) {
      const hash = matchAt(hashHere, message, at);
      if (hash || matchAt(revision, message, at)) break;
      const next = matchAt(filler, message, at);
      if (!next) break;
      at += next[0].length;
    }
    if (step === 0) continue; // nothing may touch the verb
    const words = message.slice(match.index, at);
    const hashes = readList(message, at, hashHere).map(([hash]) => hash!.toLowerCase());
    const direct = /^\S+\s+(?:commits?\s+)?$/i.test(words);
    const phrase = { before: message.slice(Math.max(0, match.index - 40), match.index), words, ids: hashes.length };
    for (const hash of hashes) {
      // a number is a date or a count more often than an abbreviated id
      if (/^\d{7,39}$/.test(hash) && !direct) continue;
      into(phrase).add({ reference: { kind: 'hash', hash }, shape: shape(phrase), strict: true });
    }
    for (const [, number] of readList(message, at, revision)) {
      into(phrase).add({ reference: { kind: 'svn', revision: Number(number) }, shape: 'svn-revision', strict: true });
    }
  }
}

function readList(message: string, start: number, item: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  let next = matchAt(item, message, start);
  while (next) {
    found.push(next);
    const end = next.index + next[0].length;
    const between = matchAt(separator, message, end);
    next = between && matchAt(item, message, end + between[0].length);
  }
  return found;
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

function shapeOf({ before, words, ids }: Phrase): RevertShape {
  if (/\bpartial(?:ly)?\s$/i.test(before) || /^\w+\s+(?:the\s+)?parts?\b/i.test(words)) return 'partial-revert';
  if (/\bthis\s$/i.test(before) && /^reverts\s+(?:the\s+)?commits?\b/i.test(words)) return 'this-reverts-commit';
  if (before.endsWith('\n') && /^reverts?:?\s/i.test(words)) return 'reverts-trailer';
  return ids > 1 ? 'revert-list' : 'revert-wording';
}

/** What a commit is named for as the origin of: a part of it, most often. */
function addOrigins(message: string, reverts: Mentions): void {
  for (const match of message.matchAll(originPhrase)) {
    if (faultWords.test(match[1]!)) continue;
    const before = message.slice(Math.max(0, match.index - 40), match.index);
    for (const [hash] of readList(message, match.index + match[0].length, hashHere)) {
      const reference = { kind: 'hash', hash: hash!.toLowerCase() } as const;
      if (/^\d{7,39}$/.test(reference.hash)) continue;
      reverts.add({
        reference,
        shape: /\bpartial(?:ly)?\s$/i.test(before) ? 'partial-revert' : 'revert-wording',
        strict: true,
      });
    }
  }
}

/** `This reverts the following commits:` and then a line for each, that begins with its id. */
function addLists(message: string, reverts: Mentions): void {
  let done = 0;
  for (const head of message.matchAll(listHead)) {
    let at = head.index + head[0].length;
    if (at < done) continue;
    for (let line = matchAt(listItem, message, at); line && line[0] !== ''; line = matchAt(listItem, message, at)) {
      if (line[1]) reverts.addHashes(line[1], 'revert-list', true);
      at += line[0].length;
    }
    done = at;
  }
}

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
      if (/^\d{7,39}$/.test(hash) && !strict) continue;
      this.add({ reference: { kind: 'hash', hash }, shape, strict });
    }
  }
}

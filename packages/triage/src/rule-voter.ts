import { throwIfAborted } from '@redef/core';
import type { Answer } from './answer.js';
import { type Evidence, sectionText } from './evidence.js';
import { type Voter, voteHeader } from './voter.js';

/**
 * Votes by words alone, offline: for trying a pipeline out, for tests, and as the baseline a model should beat. Every
 * vote is marked `rule_based`. It reads the same evidence on each ballot and so always agrees with itself: unanimity
 * and kappa of its ballots say nothing.
 */
export function createRuleVoter(): Voter {
  const voter = { id: 'rules/1', ruleBased: true } as const;
  return {
    ...voter,
    async vote(evidence, ballot, { signal } = {}) {
      throwIfAborted(signal);
      return { ...voteHeader(voter, evidence, ballot), ...judge(evidence) };
    },
  };
}

const repair =
  /\b(fix(es|ed|ing)?|bug(s|fix|fixes)?|repair(s|ed)?|correct(s|ed|ly)?|prevent(s|ed)?|avoid(s|ed)? (a |an |the )?(crash|leak|overflow|deadlock|race|null|use)|crash(es|ed)?|leak(s|ed)?|overflow(s)?|deadlock(s)?|regression(s)?|use[- ]after[- ]free|null pointer|off[- ]by[- ]one|wrong(ly)?|broken)\b/i;
const failure =
  /\b(break(s|ing)?|broke(n)?|crash(es|ed|ing)?|regress(es|ed|ion|ions)?|fail(s|ed|ing|ure|ures)?|bug(s|gy)?|leak(s|ed|ing)?|overflow(s)?|hang(s)?|hung|deadlock(s|ed)?|oops(es)?|panic(s)?|corrupt(s|ed|ion)?|incorrect(ly)?|wrong(ly)?|not (work|working|correct|safe)|does(n't| not) work|no longer works?|assert(s|ion|ions)?|use[- ]after[- ]free|null pointer|race( condition)?|slow(s|er|down)?|flak(y|es)|error(s)?|problem(s|atic)?|issue(s)?)\b/i;
const otherReason =
  /\b(superseded|obsolete|no longer (needed|necessary|required)|not (needed|necessary|required)|premature(ly)?|by (mistake|accident)|accidental(ly)?|wrong branch|format(ting)?|style|policy|licen[cs]e|temporar(y|ily)|for now|merge (error|conflict)|requested by|discussion|not ready|redo|rework|better (way|fix|approach|solution)|proper (fix|solution))\b/i;
const vague =
  /^\s*(merge\b|wip\b|\w+[.!]?\s*$|(bump|update) version|version \d|(various|misc\w*|minor|small|random|some) |typo|white ?space|comment|changes?\b|updates?\b|reformat)/i;

function judge(evidence: Evidence): Answer {
  const message = statedText(sectionText(evidence, 'commit_message'));
  const fix = repair.exec(message);

  if (evidence.rubric.label === 'clean') {
    if (fix) return answer('A', 'The message speaks of repairing a defect.', message, fix);
    const subject = message.trim().split('\n')[0]!;
    return subject.split(/\s+/).length < 3 || vague.test(subject)
      ? answer('C', 'The message does not say what the change is for.')
      : answer('B', 'The message names a deliberate change and no defect.', subject, /\S.*\S/.exec(subject)!);
  }

  const reason = statedText(sectionText(evidence, 'revert_message'));
  const harm = failure.exec(reason);
  const excuse = otherReason.exec(reason);
  if (!harm) {
    return excuse
      ? answer('C', 'The revert gives a reason that is not a defect.', reason, excuse)
      : answer('C', 'The revert gives no reason.');
  }
  return fix
    ? answer('A', 'The change was a fix and the revert names a failure.', reason, harm)
    : answer('B', 'The change was not a fix and the revert names a failure.', reason, harm);
}

/** A message without what says nothing of why: quoted titles, hashes, trailers. */
function statedText(message: string): string {
  return message
    .split('\n')
    .filter((line) => !/^\s*[A-Z][A-Za-z]*(-[A-Za-z]+)+\s*:/.test(line) && !/^\s*(Cc|Link|Bug|Closes)\s*:/i.test(line))
    .join('\n')
    .replace(/\bhttps?:\/\/\S+/g, '')
    .replace(/^[ \t]*(re-?)?revert\w*:?[ \t]+["“].*["”][ \t]*(\(#\d+\))?[ \t.]*$/gim, '')
    .replace(/\bthis (partially )?reverts (commit|change|patch)?\s*\w*\s*[0-9a-f]{7,64}\b\.?/gi, '')
    .replace(/\b[0-9a-f]{7,64}\b/g, '');
}

function answer(category: Answer['category'], rationale: string, text = '', match?: RegExpExecArray): Answer {
  if (!match) return { category, rationale, quotes: [] };
  const start = text.lastIndexOf('\n', match.index) + 1;
  const end = text.indexOf('\n', match.index);
  const line = text.slice(start, end < 0 ? undefined : end);
  // the line may have lost its hashes above, so that only the word itself surely stands in the evidence
  return { category, rationale: `${rationale} (${line.trim().slice(0, 160)})`, quotes: [match[0]] };
}

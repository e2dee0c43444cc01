import { type ChangeEvidence, type CodeChange, digestOf, RedefError, sha256 } from '@redef/core';
import { diffLines, unifiedDiff } from './line-diff.js';
import { type Rubric, rubricFor } from './rubric.js';
import { cutAround, cutEnd } from './truncate.js';

export interface EvidenceOptions {
  /** Default {@link rubricFor} the kind of evidence. */
  rubric?: Rubric;
  /** Longest text shown of each function, in characters. Longer ones are cut around their changed lines. Default 24,000. */
  maxFunctionCharacters?: number;
  /** Longest text shown of each message and of the diff, in characters. Default 12,000. */
  maxTextCharacters?: number;
}

/** Longer than any path that a file system takes. */
const maxNameCharacters = 4096;

/** One text of the bundle. */
export interface EvidenceSection {
  name: 'commit_message' | 'revert_message' | 'function_before' | 'function_after' | 'diff';
  text: string;
  /** Characters cut to fit; 0 where the text is whole. */
  left_out: number;
}

/**
 * What a voter is shown of one candidate (ReDef, section 3.1): its message, both versions of the function, the diff,
 * and for a reverted change the revert's message. All of it was written by strangers and is data, never an instruction.
 */
export interface Evidence {
  /** The change's id. */
  id: string;
  rubric: Rubric;
  path: string;
  function_name: string;
  sections: readonly EvidenceSection[];
  /** Characters cut from all sections together. */
  truncated: number;
  /** SHA-256 of all of the above but the id: equal evidence, equal digest. */
  digest: string;
}

/**
 * Builds the bundle of one candidate. Pure: the same change, evidence and options give the same digest.
 *
 * @throws `RedefError` `evidence-mismatch` where the two rows are of different changes
 */
export function buildEvidence(
  change: CodeChange,
  evidence: ChangeEvidence,
  {
    rubric = rubricFor(evidence.kind),
    maxFunctionCharacters = 24_000,
    maxTextCharacters = 12_000,
  }: EvidenceOptions = {},
): Evidence {
  if (change.id !== evidence.id) {
    throw new RedefError(`The change ${change.id} was given the evidence of ${evidence.id}`, {
      code: 'evidence-mismatch',
      remedy: 'Join the two files by id.',
    });
  }
  const lines = diffLines(change.function_before, change.function_after);
  const removed = lines.flatMap((line) => (line.kind === 'removed' ? [line.before!] : []));
  const added = lines.flatMap((line) => (line.kind === 'added' ? [line.after!] : []));

  const section = (name: EvidenceSection['name'], cut: Omit<EvidenceSection, 'name'>): EvidenceSection => ({
    name,
    ...cut,
  });
  const sections = [
    section('commit_message', cutEnd(change.message, maxTextCharacters)),
    ...(evidence.kind === 'revert'
      ? [section('revert_message', cutEnd(evidence.revert_message, maxTextCharacters))]
      : []),
    section('function_before', cutAround(change.function_before, removed, maxFunctionCharacters)),
    section('function_after', cutAround(change.function_after, added, maxFunctionCharacters)),
    section('diff', cutEnd(unifiedDiff(lines), maxTextCharacters)),
  ];
  const { id } = change;
  const path = cutEnd(change.path, maxNameCharacters);
  const name = cutEnd(change.function_name, maxNameCharacters);
  return {
    id,
    rubric,
    path: path.text,
    function_name: name.text,
    sections,
    truncated: [path, name, ...sections].reduce((sum, { left_out }) => sum + left_out, 0),
    digest: digestOf([
      rubric,
      path.text,
      name.text,
      sections.map(({ text, ...rest }) => ({ ...rest, text: sha256(text) })),
    ]),
  };
}

/** A section's text; empty where the bundle has none of that name. */
export function sectionText(evidence: Evidence, name: EvidenceSection['name']): string {
  return evidence.sections.find((section) => section.name === name)?.text ?? '';
}

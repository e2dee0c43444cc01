import type { StudyFileInput } from '@redef/experiment';
import type { StudyFlags } from './commands/study.js';
import { miningOptions } from './mining-options.js';
import { parseSource } from './sources.js';

/** A study as the options of the command line tell it, in the words of a study file, and the first of them by name. */
export function studyOfFlags(flags: StudyFlags): {
  study: Omit<StudyFileInput, 'repositories'>;
  repositories?: { project: string; source: string }[];
  given: string[];
} {
  const { repo, voter, ballots, encodings, counterfactuals, seeds, epochs, tokenizer, preset, maxTokens } = flags;
  const mining = snakeCase(miningOptions(flags));
  const model = {
    ...(tokenizer !== undefined && { tokenizer }),
    ...(preset !== undefined && { preset }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(epochs !== undefined && { epochs }),
  };
  const triage = { ...(voter && { voters: voter }), ...(ballots !== undefined && { ballots }) };
  const shown = {
    ...(encodings && { encodings }),
    ...(counterfactuals && { counterfactuals }),
    ...(seeds && { seeds }),
  };
  return {
    study: { ...shown, models: [{ kind: 'linear', ...model }], triage, mining },
    ...(repo && {
      repositories: repo.map(parseSource).map(({ project, location }) => ({ project, source: location })),
    }),
    given: [...(repo ? ['repo'] : []), ...Object.keys({ ...triage, ...shown, ...model, ...mining })].map((name) =>
      name.replaceAll('_', '-'),
    ),
  };
}

function snakeCase(options: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

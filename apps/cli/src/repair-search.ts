import { createRng, RedefError } from '@redef/core';
import type { RepairSearch } from '@redef/repair/model';
import { type Command, Option } from 'commander';
import { fraction, integer, number } from './options.js';

/** Flags that say how candidates are looked for. */
export interface RepairSearchFlags {
  search: RepairSearch['kind'];
  groups?: number;
  diversityPenalty?: number;
  topP?: number;
  temperature?: number;
  samplingSeed?: number;
}

const own: Record<RepairSearch['kind'], readonly (keyof RepairSearchFlags)[]> = {
  beam: [],
  diverse: ['groups', 'diversityPenalty'],
  nucleus: ['topP', 'temperature', 'samplingSeed'],
};

export function addSearchOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--search <name>', "beam search by the model's rule, diverse beams, or nucleus sampling")
        .choices(Object.keys(own))
        .default('beam'),
    )
    .option('--groups <n>', 'diverse: groups that share the beams (default: one for each)', integer(1))
    .option('--diversity-penalty <x>', 'diverse: off a token for each earlier group with it (default: 0.5)', number(0))
    .option('--top-p <p>', 'nucleus: probability of the tokens to draw from (default: 0.95)', fraction)
    .option('--temperature <x>', 'nucleus: below 1 for likelier tokens (default: 1)', number(0))
    .option('--sampling-seed <n>', 'nucleus: decides the draws (default: 1)', integer(0));
}

/** @throws `RedefError` `invalid-option` for a flag of another search */
export function searchOf(flags: RepairSearchFlags, beams: number): RepairSearch {
  const { search, groups = beams, diversityPenalty = 0.5, topP, temperature, samplingSeed = 1 } = flags;
  for (const [name, names] of Object.entries(own)) {
    const [foreign] = name === search ? [] : names.filter((flag) => flags[flag] !== undefined);
    if (foreign === undefined) continue;
    throw new RedefError(
      `--${foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for ${name} alone`,
      {
        code: 'invalid-option',
        remedy: `Leave it out, or pass --search ${name}.`,
      },
    );
  }
  switch (search) {
    case 'beam':
      return { kind: 'beam' };
    case 'diverse':
      return { kind: 'diverse', groups, diversityPenalty };
    case 'nucleus':
      return {
        kind: 'nucleus',
        rng: createRng(samplingSeed),
        ...(topP !== undefined && { topP }),
        ...(temperature !== undefined && { temperature }),
      };
  }
}

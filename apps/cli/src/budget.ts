import { resolve } from 'node:path';
import { RedefError } from '@redef/core';
import {
  type Budget,
  createLexicalTokenizer,
  loadTokenizer,
  type TokenizerPresetName,
  tokenizerPresets,
} from '@redef/encoders';
import type { Command } from 'commander';
import type { CliContext } from './context.js';
import { integer } from './options.js';

export interface BudgetOptions {
  tokenizer?: string;
  preset?: string;
  maxTokens?: number;
}

export const presetNames = Object.keys(tokenizerPresets) as TokenizerPresetName[];

export function addBudgetOptions(command: Command): Command {
  return command
    .option(
      '--tokenizer <folder>',
      "a model's tokenizer: a folder, or hub:OWNER/NAME; default: lexemes, for the linear baseline",
    )
    .option('--preset <family>', `what stands around the text: ${presetNames.join(', ')}`)
    .option(
      '--max-tokens <n>',
      'budget of one input, special tokens included; default: what the model reads',
      integer(1),
    );
}

/** The budget that the options name. Only `hub:` asks the network. */
export async function budgetOf(
  { tokenizer: source, preset, maxTokens }: BudgetOptions,
  cli: CliContext,
): Promise<Budget> {
  if (source === undefined && preset !== undefined) {
    throw new RedefError(`--preset: the lexemes that stand where no --tokenizer is named know no ${preset}`, {
      code: 'invalid-option',
      remedy: 'Name the tokenizer too, or leave the preset out.',
    });
  }
  const tokenizer = source === undefined ? createLexicalTokenizer() : await load(source, preset, cli);
  return { tokenizer, maxTokens: maxTokens ?? tokenizer.maxTokens };
}

function load(source: string, preset: string | undefined, cli: CliContext) {
  const name = presetNames.find((known) => known === preset);
  if (name === undefined) {
    throw new RedefError(`--tokenizer needs --preset, one of ${presetNames.join(', ')}`, {
      code: 'invalid-option',
      remedy: "Name the model's family: it says which special tokens stand around the text.",
    });
  }
  return loadTokenizer(source.startsWith('hub:') ? source : resolve(cli.cwd, source), { preset: name });
}

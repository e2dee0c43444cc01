import { resolve } from 'node:path';
import { writeJsonl } from '@redef/core/files';
import { loadTokenizer, type TokenizerPresetName, tokenizerPresets } from '@redef/encoders';
import {
  type RepairReport,
  type RepairTruth,
  readPredictions,
  readTruths,
  repairTables,
  type ScoreOptions,
  scoreRepairs,
  vulRepairAddedTokens,
} from '@redef/repair';
import { createCSyntax } from '@redef/repair/syntax';
import { Command, Option } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { integer } from '../options.js';
import { openRows } from '../repair-rows.js';
import { renderTextTable } from '../text-table.js';

interface Options {
  tokenizer?: string;
  family: TokenizerPresetName;
  maxTokens: number;
  place?: true;
  syntax?: true;
  out?: string;
  json?: true;
}

const families = Object.keys(tokenizerPresets) as TokenizerPresetName[];

export const scoreCommand = (cli: CliContext): Command =>
  new Command('score')
    .description('score predicted repairs against the truth: perfect prediction, top-k, for every seed and CWE')
    .argument(
      '<predictions>',
      'CSV, JSONL or Parquet with id, seed and predictions or prediction; - for standard input',
    )
    .argument('<truth>', 'CSV, JSONL or Parquet with source and target, such as a VulRepair test file')
    .option('--tokenizer <folder>', "cut the truth as the papers' rule does; folder or hub:owner/name")
    .addOption(new Option('--family <name>', 'of --tokenizer').choices(families).default('roberta'))
    .option('--max-tokens <n>', 'length of a target in training, of --tokenizer', integer(3), 256)
    .option('--place', 'count the best predictions that can be placed in their functions')
    .option('--syntax', 'also parse the patched functions (needs web-tree-sitter and tree-sitter-c)')
    .option('--out <file>', 'write a row of JSONL for every sample and seed')
    .option('--json', 'print one JSON object')
    .action(async (predictions: string, truth: string, options: Options) => {
      await keepInputs(cli, [predictions, truth], { files: [options.out] });
      const truths: RepairTruth[] = [];
      for await (const sample of readTruths(openRows(cli, truth))) truths.push(sample);
      const found = await readPredictions(openRows(cli, predictions));

      const syntax = options.syntax ? await createCSyntax() : undefined;
      try {
        const report = scoreRepairs(truths, found, {
          ...(options.place && { place: true }),
          ...(syntax && { syntax, codeBleu: { subtrees: syntax.subtrees } }),
          ...(await cutting(cli, options)),
        });
        if (options.out !== undefined)
          await writeJsonl(resolve(cli.cwd, options.out), report.scores, { signal: cli.signal });
        print(cli, options.json ? toJson(report) : toText(report));
      } finally {
        syntax?.close();
      }
    });

async function cutting(cli: CliContext, { tokenizer: source, family, maxTokens }: Options): Promise<ScoreOptions> {
  if (source === undefined) return {};
  const from = source.startsWith('hub:') ? source : resolve(cli.cwd, source);
  const tokenizer = await loadTokenizer(from, { preset: family, signal: cli.signal });
  const specialTokens = tokenizer.prefix.length + tokenizer.suffix.length;
  return { tokenizer: tokenizer.addTokens(vulRepairAddedTokens), maxTokens, specialTokens };
}

/** Without the samples: those are for `--out`. */
function toJson({ scores: _scores, ...report }: RepairReport): string {
  return JSON.stringify(report, null, 2);
}

function toText(report: RepairReport): string {
  const notes = report.seeds
    .filter(({ missing }) => missing > 0)
    .map(({ seed, missing }) => `seed ${seed}: ${missing} samples without a prediction, counted as wrong`);
  if (report.rejects.length > 0) notes.push(`${report.rejects.length} predictions are for samples not in the truth`);
  notes.push(
    report.truthsCut === undefined
      ? "The papers' rule compared with whole targets: pass --tokenizer to cut them as the papers did."
      : `The papers' rule saw ${report.truthsCut} of ${report.samples} targets cut.`,
  );
  return [...repairTables(report).map(renderTextTable), notes.join('\n')].join('\n\n');
}

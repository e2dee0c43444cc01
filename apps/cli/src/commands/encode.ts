import { join, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { readRecords } from '@redef/core/files';
import {
  type CounterfactualName,
  contextEncodings,
  counterfactualNames,
  counterfactualTraits,
  type EncodingName,
  EncodingSummarizer,
  type EncodingSummary,
  encodingNames,
  paperCounterfactuals,
} from '@redef/encoders';
import { loadSyntaxParser, treePaths } from '@redef/encoders/tree';
import { encodeStage, paperSeeds } from '@redef/experiment';
import { Command, InvalidArgumentError, Option } from 'commander';
import { addBudgetOptions, type BudgetOptions, budgetOf } from '../budget.js';
import { type CliContext, print } from '../context.js';
import { integer } from '../options.js';
import { describeStage } from '../print-stage.js';
import { renderTextTable } from '../text-table.js';

interface Options extends BudgetOptions {
  mined: string;
  split: string;
  out: string;
  encoding?: EncodingName | 'tree-paths';
  contextLines?: number;
  counterfactual?: CounterfactualName;
  seed?: number;
  stats?: true;
  json?: true;
}

/** The first of the paper's. */
const defaultSeed = paperSeeds[0]!;

export const encodeCommand = (cli: CliContext): Command =>
  addBudgetOptions(
    new Command('encode')
      .description('lay the changes of a split out for a model, cut to an exact token budget')
      .requiredOption('--mined <folder>', 'the output of redef mine')
      .requiredOption('--split <folder>', 'the output of redef split or redef dedup')
      .requiredOption('--out <folder>', 'where to write encoded.jsonl')
      .addOption(
        new Option(
          '--encoding <name>',
          'how the change is shown (default: diff-tags, or what the counterfactual distorts)',
        ).choices([...encodingNames, 'tree-paths']),
      )
      .option(
        '--context-lines <n>',
        `unchanged lines around edits, or "all" (default: 3); for ${contextEncodings.join(', ')}`,
        lines,
      )
      .addOption(
        new Option(
          '--counterfactual <name>',
          `distort it; ${paperCounterfactuals.join(', ')} have an encoding of their own`,
        ).choices(counterfactualNames),
      )
      .option('--seed <n>', `of the counterfactual's draws (default: ${defaultSeed})`, integer(0))
      .option('--stats', 'tell how long the inputs are and what the budget cut off')
      .option('--json', 'print the manifest, and the statistics if asked for, as JSON'),
  ).action(async (options: Options) => {
    const { mined, split, out, encoding: name, counterfactual, seed, contextLines, stats, json, ...budget } = options;
    if (seed !== undefined && !counterfactual) {
      throw new RedefError('--seed: nothing is drawn without --counterfactual', {
        code: 'invalid-option',
        remedy: 'Leave it out, or name a counterfactual.',
      });
    }
    const encoding =
      name === 'tree-paths'
        ? treePaths({ parser: await loadSyntaxParser('c'), cppParser: await loadSyntaxParser('cpp') })
        : name;
    if (contextLines !== undefined) {
      checkContext(counterfactual ? counterfactualTraits(counterfactual, encoding).encoding : (name ?? 'diff-tags'));
    }
    const at = (path: string): string => resolve(cli.cwd, path);
    const stage = await encodeStage(
      {
        mined: at(mined),
        split: at(split),
        out: at(out),
        as: counterfactual
          ? { counterfactual, seed: seed ?? defaultSeed, ...(encoding && { encoding }) }
          : { encoding: encoding ?? 'diff-tags' },
        ...(contextLines !== undefined && { contextLines }),
        budget: await budgetOf(budget, cli),
      },
      { signal: cli.signal, onEvent: cli.onProgress },
    );
    const summary = stats && (await summarize(stage.folder, cli.signal));
    if (json) print(cli, JSON.stringify(summary ? { ...stage.manifest, stats: summary } : stage.manifest, null, 2));
    else print(cli, [describeStage(stage, cli.cwd), ...(summary ? ['', describeSummary(summary)] : [])].join('\n'));
  });

function lines(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number of lines, or "all"');
}

/** A flag that would do nothing is wrong use. */
function checkContext(encoding: string): void {
  if (contextEncodings.some((name) => name === encoding)) return;
  throw new RedefError(`--context-lines: ${encoding} shows no context`, {
    code: 'invalid-option',
    remedy: `Leave it out, or choose one of ${contextEncodings.join(', ')}.`,
  });
}

/** Reads the encoded rows once more: an up-to-date stage is not run again, and its figures are still wanted. */
async function summarize(folder: string, signal: AbortSignal): Promise<EncodingSummary> {
  const summarizer = new EncodingSummarizer();
  for await (const row of readRecords('redef.encoded/1', join(folder, 'encoded.jsonl'), { signal })) {
    summarizer.add({
      tokens: row.tokens,
      tokensLost: row.tokens_lost,
      changedLines: row.changed_lines,
      changedLinesShown: row.changed_lines_shown,
      changedLinesKept: row.changed_lines_kept,
      ...(row.escaped_marks !== undefined && { escapedMarks: row.escaped_marks }),
      ...(row.unmarked_edits !== undefined && { unmarkedEdits: row.unmarked_edits }),
    });
  }
  return summarizer.summary();
}

function describeSummary(summary: EncodingSummary): string {
  const { changes, truncated, tokens, tokensLost, changedLines, changedLinesShown, changedLinesKept, lengths } =
    summary;
  const { withEscapedMarks, unmarkedEdits } = summary;
  const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`);
  const row = (...cells: string[]) => ({ cells });
  const right = (title: string) => ({ title, align: 'right' as const });
  const cut = renderTextTable({
    caption: 'What the budget cut off',
    columns: [{ title: '', align: 'left' }, right('count'), right('of'), right('share')],
    rows: [
      row('changes cut', `${truncated}`, `${changes}`, share(truncated, changes)),
      row('tokens lost', `${tokensLost}`, `${tokens}`, share(tokensLost, tokens)),
      row('changed lines shown', `${changedLinesShown}`, `${changedLines}`, share(changedLinesShown, changedLines)),
      row('changed lines kept', `${changedLinesKept}`, `${changedLines}`, share(changedLinesKept, changedLines)),
      row(
        'changes with no edit kept',
        `${summary.changesWithoutEdit}`,
        `${changes}`,
        share(summary.changesWithoutEdit, changes),
      ),
      ...(withEscapedMarks === undefined
        ? []
        : [row('changes with escaped marks', `${withEscapedMarks}`, `${changes}`, share(withEscapedMarks, changes))]),
      ...(unmarkedEdits === undefined ? [] : [row('edits too long for word marks', `${unmarkedEdits}`, '', '')]),
    ],
  });
  const curve = renderTextTable({
    caption: `Length before the cut, special tokens not included: mean ${lengths.mean.toFixed(1)}, longest ${lengths.max}`,
    columns: [right('tokens at most'), right('share of changes')],
    rows: lengths.cumulative.map((point) => row(`${point.tokens}`, share(point.share, 1))),
  });
  return `${cut}\n\n${curve}`;
}

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import { readCandidates, triageStage } from '@redef/experiment';
import {
  createBudget,
  defaultPrices,
  estimateTriage,
  openVoteFile,
  type PriceTable,
  parsePrices,
  type Rule,
  type TriageEstimate,
  type TriageEvent,
  voteByBatch,
} from '@redef/triage';
import { Command, Option } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { collect, integer, number } from '../options.js';
import { printStage } from '../print-stage.js';
import { createPanelist, type VoterFlags } from '../voters.js';

interface Options extends VoterFlags {
  mined: string;
  out: string;
  voter?: string[];
  ballots: number;
  rule: Rule;
  concurrency: number;
  cache?: string;
  prices?: string;
  budget?: number;
  dryRun?: true;
  batch?: true;
  pollSeconds: number;
  json?: true;
}

export const triageCommand = (cli: CliContext): Command =>
  new Command('triage')
    .description('put every candidate to the vote and keep those that all ballots call defective or clean')
    .requiredOption('--mined <folder>', 'the output of redef mine')
    .requiredOption('--out <folder>', 'where to write votes.jsonl, labels.jsonl, rejects.jsonl and table-1.md')
    .option(
      '--voter <name>',
      'rules (offline, the default), a model of OpenAI, or MODEL@URL; several share the ballots',
      collect,
    )
    .option('--ballots <n>', 'votes on each candidate', integer(1), 3)
    .addOption(
      new Option('--rule <name>', 'when a candidate is kept')
        .choices(['unanimous-ab', 'unanimous', 'majority-ab'])
        .default('unanimous-ab'),
    )
    .option('--dry-run', 'print calls, tokens and cost, and make no call')
    .option('--budget <dollars>', 'stop before a call that could go past this', number(0))
    .option('--prices <file>', 'another price table')
    .option('--batch', "use OpenAI's Batch API: half the price, within a day")
    .option('--poll-seconds <n>', 'how often a batch is looked at', number(0), 60)
    .option('--concurrency <n>', 'calls under way at once', integer(1), 8)
    .option('--cache <file>', 'keeps the votes (default: OUT/.cache/votes.jsonl)')
    .option('--temperature <t>', "sampling temperature (default: the server's)", number(0))
    .option('--vote-seed <n>', 'sent with ballot i as n + i, where the server honours it', integer(0))
    .option('--max-output-tokens <n>', 'longest answer (default: 500)', integer(1))
    .addOption(
      new Option('--format <name>', 'how the form of an answer is asked for (default: json-schema)').choices([
        'json-schema',
        'json-object',
        'text',
      ]),
    )
    .option('--reasoning-effort <level>', 'of models that reason: none, low, medium, ... (default: the model decides)')
    .option('--timeout <seconds>', 'longest wait for one answer before it is asked again (default: 120)', number(1))
    .option('--json', 'print the manifest, or the estimate, as JSON')
    .addHelpText(
      'after',
      '\nKeys come from the environment: OPENAI_API_KEY for OpenAI, REDEF_SERVER_KEY for other servers.',
    )
    .action(async (options: Options) => {
      const { ballots, rule, concurrency, batch, json } = options;
      const at = (path: string): string => resolve(cli.cwd, path);
      const [mined, out] = [at(options.mined), at(options.out)];
      const tables = ['changes.jsonl', 'evidence.jsonl'].map((name) => join(options.mined, name));
      await keepInputs(cli, tables, { folders: [options.out] });
      await keepInputs(cli, [...tables, options.prices], { files: [options.cache] });
      const prices = options.prices === undefined ? defaultPrices : await readPrices(at(options.prices));
      const budget = options.budget === undefined ? undefined : createBudget(options.budget);
      // a dry run makes no call and needs no key
      const env = options.dryRun ? { OPENAI_API_KEY: 'none', ...cli.env } : cli.env;
      const panel = (options.voter ?? ['rules']).map((spec) =>
        createPanelist(spec, options, { prices, ...(budget && { budget }) }, { env, now: Date.now }),
      );
      const voters = panel.map(({ voter }) => voter);
      const candidates = () => readCandidates(mined, { signal: cli.signal });
      const onTriageEvent = createTeller(cli);

      const cache = await openVoteFile(
        options.cache === undefined ? join(out, '.cache', 'votes.jsonl') : at(options.cache),
      );
      try {
        if (options.dryRun) {
          const estimate = await estimateTriage(candidates(), {
            voters,
            ballots,
            cache,
            prices,
            batch: batch === true,
            signal: cli.signal,
          });
          print(cli, json ? JSON.stringify(estimate, null, 2) : describe(estimate));
          return;
        }
        if (batch) {
          const models = panel.flatMap((one) => (one.options ? [one.options] : []));
          if (models.length < panel.length) {
            throw new RedefError('Rules cannot vote by batch', {
              code: 'invalid-option',
              remedy: 'Leave out --batch, or --voter rules.',
            });
          }
          await voteByBatch(candidates, {
            voters: models,
            ballots,
            cache,
            folder: join(out, '.cache', 'batches'),
            pollMs: options.pollSeconds * 1000,
            priceFactor: prices.batch_factor,
            signal: cli.signal,
            onEvent: onTriageEvent,
          });
        }
        const stage = await triageStage(
          { mined, out, voters, ballots, rule, cache, concurrency, onTriageEvent },
          { signal: cli.signal, onEvent: cli.onProgress },
        );
        printStage(cli, stage, json);
        if (!json) print(cli, await readFile(join(out, 'table-1.md'), 'utf8'));
        if (budget) cli.stderr.write(`spent: $${budget.spentUsd.toFixed(4)} of $${budget.limitUsd}\n`);
      } finally {
        await cache.close();
      }
    });

async function readPrices(path: string): Promise<PriceTable> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? parsePrices(undefined, path) : fileError(error, path);
  }
  return parsePrices(value, path);
}

function describe(estimate: TriageEstimate): string {
  const dollars = (cost: number | null): string => (cost === null ? 'no price known' : `$${cost.toFixed(2)}`);
  const row = ({
    calls,
    cached,
    input_tokens,
    output_tokens,
    cost_usd,
  }: Omit<TriageEstimate['voters'][number], 'voter'>) =>
    `${calls} calls (${cached} votes in the cache), ${input_tokens} tokens in, ${output_tokens} out, ${dollars(cost_usd)}`;
  return [
    `${estimate.candidates} candidates, ${estimate.truncated} of them cut to fit`,
    ...estimate.voters.map((voter) => `  ${voter.voter}: ${row(voter)}`),
    `In all: ${row(estimate)}`,
    ...estimate.voters
      .filter(({ cost_usd }) => cost_usd === null)
      .map(({ voter }) => `The price table does not have ${voter}: add the model to one and pass it with --prices.`),
    `Prices as of ${estimate.prices_as_of}${estimate.prices_source ? ` (${estimate.prices_source})` : ''}: look whether they still hold, or pass --prices. No call was made.`,
  ].join('\n');
}

/** Tells of batches and of changes of pace on stderr, and of retries no more than one a second. */
function createTeller(cli: CliContext): (event: TriageEvent) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type === 'batch') {
      const { voter, batch, status, completed, failed, total } = event;
      cli.stderr.write(`${voter}: ${batch} ${status}, ${completed} of ${total} done, ${failed} failed\n`);
    } else if (event.type === 'concurrency') {
      cli.stderr.write(`${event.voter}: ${event.limit} calls at once\n`);
    } else if (event.type === 'retry' && performance.now() - toldAt > 1000) {
      toldAt = performance.now();
      cli.stderr.write(`${event.voter}: ${event.reason}, trying again in ${(event.delay_ms / 1000).toFixed(1)} s\n`);
    }
  };
}

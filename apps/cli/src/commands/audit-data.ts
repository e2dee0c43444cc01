import { basename, resolve } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import { type DataFormat, readPairs, readRows } from '@redef/datasets';
import {
  type AuditReportParts,
  auditData,
  auditTables,
  auditVerdicts,
  type DataAudit,
  type DataSets,
  estimateInflation,
  findCorpusOverlap,
  type InflationEstimate,
  type LayoutOptions,
  parseLevel,
  type RemovalPolicy,
  renderAuditHtml,
  renderAuditMarkdown,
} from '@redef/dedup';
import { Command, Option } from 'commander';
import { type CliContext, GateError, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { collect, columns, fraction, names } from '../options.js';
import { renderTextTable } from '../text-table.js';
import { cleanedFiles, writeCleaned } from '../write-cleaned.js';

const gates = {
  leak: (audit: DataAudit) =>
    audit.levels.some((level) => level.crossSetDuplicates > 0) || (audit.near?.leak.clusters ?? 0) > 0,
  duplicate: (audit: DataAudit) =>
    audit.levels.some(({ sets }) => Object.values(sets).some((set) => set.inSetDuplicates > 0)),
  contradiction: (audit: DataAudit) => audit.contradictions > 0,
  commit: (audit: DataAudit) => (audit.leaks.commits?.shared ?? 0) > 0,
  function: (audit: DataAudit) => (audit.leaks.functions?.shared ?? 0) > 0,
  time: (audit: DataAudit) => (audit.leaks.time ?? []).some(({ holds }) => !holds),
};
type Gate = keyof typeof gates;
const gateNames = Object.keys(gates) as Gate[];

interface Options {
  format?: DataFormat;
  encoding?: string;
  key?: string[];
  code?: string;
  labels?: string[];
  project?: string;
  commit?: string;
  function?: string[];
  time?: string;
  within?: string[];
  near?: number | true;
  corpus?: string[];
  predictions?: string[];
  outcome?: string;
  level: string;
  clean?: string;
  policy: RemovalPolicy;
  json?: true;
  markdown?: true;
  html?: string;
  failOn?: Gate[];
}

export const auditDataCommand = (cli: CliContext): Command =>
  new Command('audit-data')
    .description('find duplicates, leaks, contradictions and damage in data sets of any layout')
    .argument(
      '<sets...>',
      'TRAIN TEST, or TRAIN VALIDATION TEST, or NAME=PATH each: files, folders, X.buggy beside X.fixed, - for standard input',
    )
    .addOption(new Option('--format <name>', 'where names do not tell it').choices(['csv', 'jsonl', 'parquet']))
    .option('--encoding <label>', 'of CSV and JSONL text, as windows-1252 (default: utf-8)')
    .option('--key <columns>', 'columns that make two rows the same (default: by the layout of the file)', columns)
    .option('--code <column>', 'the column of code')
    .option('--labels <columns>', 'columns that label the code', columns)
    .option('--project <column>', 'the repository, within which commits and functions are named')
    .option('--commit <column>', 'the commit of a row: none should stand in two sets')
    .option('--function <columns>', 'what names the function of a row: none should stand in two sets', columns)
    .option('--time <column>', 'the date of a row: the sets should follow one another')
    .option('--within <columns>', 'look at the order in time within each value of these too', columns)
    .option('--near [jaccard]', 'look for renamed and near duplicates too (default: from 0.8)', fraction)
    .option('--corpus <path>', 'also look for the rows in this pre-training corpus; repeatable', collect)
    .option(
      '--predictions <path>',
      'what the leak was worth in these predictions for the last set; repeatable',
      collect,
    )
    .option('--outcome <column>', 'the 0/1 column of the predictions')
    .option('--clean <folder>', 'write the sets without duplicates, and what was removed with its reason and twin')
    .addOption(
      new Option('--policy <name>', 'which side of a duplicate across sets goes')
        .choices(['cut-from-train', 'cut-from-test'])
        .default('cut-from-train'),
    )
    .option('--level <name>', 'at which rows are the same for --predictions (near too) and --clean', 'exact')
    .addOption(new Option('--json', 'print one JSON object').conflicts('markdown'))
    .option('--markdown', 'print tables for a paper')
    .option('--html <file>', 'write a page')
    .addOption(
      new Option('--fail-on <names>', `exit with 1 on any of ${gateNames.join(', ')}`).argParser(names(gateNames)),
    )
    .action(async (paths: string[], options: Options, command: Command) => {
      const inputs = nameInputs(paths, command);
      if ((options.corpus || options.clean !== undefined) && inputs.some(({ path }) => path === '-')) {
        command.error('error: --corpus and --clean read the sets again: name files, not -');
      }
      const near = options.level === 'near';
      const level = near ? undefined : parseLevel(options.level);
      if (near && options.near === undefined) command.error('error: --level near needs --near');
      if (near && options.clean !== undefined) command.error('error: --clean takes out rows at every level but near');
      const extensions = extensionsOf(inputs);
      const { clean, html, corpus = [], predictions = [] } = options;
      await keepInputs(
        cli,
        [...inputs.map(({ path }) => path), ...corpus, ...predictions].flatMap((path) => [path, pairedPath(path)]),
        { files: [html, ...(clean === undefined ? [] : cleanedFiles(clean, extensions))] },
      );
      const open = (path: string) => {
        const paired = pairedPath(path);
        if (paired) return readPairs(resolve(cli.cwd, path), resolve(cli.cwd, paired), { signal: cli.signal });
        const source = path === '-' ? cli.stdin : resolve(cli.cwd, path);
        const { format, encoding } = options;
        return readRows(source, {
          signal: cli.signal,
          ...(path === '-' && { name: 'standard input' }),
          ...(format && { format }),
          ...(encoding !== undefined && { encoding }),
        });
      };
      const run = { signal: cli.signal, onEvent: cli.onProgress };
      const key = options.key && { key: options.key };
      const sets = (): DataSets => Object.fromEntries(inputs.map(({ name, path }) => [name, open(path)]));

      const audit = await auditData(sets(), {
        ...run,
        ...key,
        layout: layoutOf(options),
        ...(options.near !== undefined && { near: options.near === true || { threshold: options.near } }),
      });
      const parts: AuditReportParts = {};
      if (options.corpus) {
        const corpus = Object.fromEntries(options.corpus.map((path) => [basename(path), open(path)]));
        parts.overlap = await findCorpusOverlap(corpus, sets(), { ...run, ...key });
      }
      if (options.predictions) {
        const estimates: InflationEstimate[] = [];
        for (const path of options.predictions) {
          const column = options.outcome !== undefined && { column: options.outcome };
          estimates.push(
            await estimateInflation(open(path), audit, {
              level: level ?? 'near',
              source: basename(path),
              ...column,
              signal: cli.signal,
            }),
          );
        }
        parts.inflation = estimates;
      }
      const cleaned =
        options.clean === undefined || level === undefined
          ? undefined
          : await writeCleaned(sets(), resolve(cli.cwd, options.clean), extensions, {
              ...run,
              ...key,
              policy: options.policy,
              level,
            });

      if (options.json) print(cli, JSON.stringify({ ...audit, ...parts, ...(cleaned && { cleaned }) }, null, 2));
      else if (options.markdown) print(cli, renderAuditMarkdown(audit, parts));
      else print(cli, renderText(audit, parts));
      if (options.html !== undefined)
        await writeFileAtomic(resolve(cli.cwd, options.html), renderAuditHtml(audit, parts));

      for (const { file, kept, removed } of cleaned ?? [])
        cli.stderr.write(`${file}: ${kept} rows kept, ${removed} removed\n`);

      const failed = (options.failOn ?? []).filter((gate) => gates[gate](audit));
      if (failed.length > 0) throw new GateError(`the data has what --fail-on names: ${failed.join(', ')}`);
    });

interface NamedInput {
  name: string;
  path: string;
}

function nameInputs(paths: readonly string[], command: Command): NamedInput[] {
  const usual =
    paths.length === 1 ? ['data'] : paths.length === 2 ? ['train', 'test'] : ['train', 'validation', 'test'];
  const inputs = paths.map((text, index): NamedInput => {
    const [, name, path] = /^([A-Za-z][\w.-]*)=(.+)$/s.exec(text) ?? [];
    if (name !== undefined && path !== undefined) return { name, path };
    if (/^[\w.-]+=/.test(text)) command.error(`error: the name of a set begins with a letter: ${text}`);
    const place = paths.length <= 3 ? usual[index] : undefined;
    return place === undefined
      ? command.error('error: name each of more than three sets: NAME=PATH')
      : { name: place, path: text };
  });
  const twice = inputs.find(({ name }, index) => inputs.findIndex((other) => other.name === name) !== index);
  if (twice) command.error(`error: two sets are called ${twice.name}`);
  if (inputs.filter(({ path }) => path === '-').length > 1) command.error('error: standard input can be one set only');
  return inputs;
}

/** The repaired half of a `.buggy` file, line by line beside it, as CodeXGLUE publishes code refinement. */
function pairedPath(path: string): string | undefined {
  return path.endsWith('.buggy') ? path.replace(/buggy$/, 'fixed') : undefined;
}

/** Each cleaned set keeps the format of its file; folders become JSONL. */
function extensionsOf(inputs: readonly NamedInput[]): Record<string, string> {
  return Object.fromEntries(
    inputs.map(({ name, path }) => [
      name,
      /\.((?:csv|tsv|jsonl|ndjson)(?:\.gz)?|parquet|pq)$/i.exec(path)?.[1]?.toLowerCase() ?? 'jsonl',
    ]),
  );
}

function layoutOf({ code, labels, project, commit, function: identity, time, within }: Options): LayoutOptions {
  return {
    ...(code !== undefined && { code }),
    ...(labels !== undefined && { labels }),
    ...(project !== undefined && { project }),
    ...(commit !== undefined && { commit }),
    ...(identity !== undefined && { function: identity }),
    ...(time !== undefined && { time }),
    ...(within !== undefined && { within }),
  };
}

function renderText(audit: DataAudit, parts: AuditReportParts): string {
  const tables = auditTables(audit, parts).map((table) =>
    [renderTextTable(table), ...(table.note ? [table.note] : [])].join('\n'),
  );
  return [auditVerdicts(audit).join('\n'), ...tables].join('\n\n');
}

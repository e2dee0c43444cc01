import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ChangeEvidence, type CodeChange, RedefError } from '@redef/core';
import { digestFile, fileError, readJsonlLines, readRecords } from '@redef/core/files';
import { readCandidates } from '@redef/experiment';
import {
  auditReport,
  createAudit,
  createLabelAudit,
  type LabelAuditOptions,
  labelQuestions,
  parseAuditItem,
  parseQuestionSet,
  type QuestionSet,
  questionSets,
  readAudit,
  readReviews,
  renderAuditReport,
  type Stratum,
  serveAudit,
} from '@redef/triage/audit';
import { Command, Option } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { collect, integer } from '../options.js';

export const auditCommand = (cli: CliContext): Command =>
  new Command('audit')
    .description('have people check a sample: draw it, show it, report on it')
    .addCommand(sampleCommand(cli))
    .addCommand(serveCommand(cli))
    .addCommand(reportCommand(cli));

interface SampleOptions {
  out: string;
  mined?: string;
  labels?: string;
  items?: string;
  questions?: string;
  size?: number;
  seed: number;
  label: NonNullable<LabelAuditOptions['label']>;
  stratify: NonNullable<LabelAuditOptions['stratifyBy']>;
}

const sampleCommand = (cli: CliContext): Command =>
  new Command('sample')
    .description('draw a stratified, seeded sample of labels, or of the items of a file')
    .requiredOption('--out <folder>', 'where the audit is kept')
    .option('--mined <folder>', 'the output of redef mine')
    .option('--labels <folder>', 'the output of redef triage')
    .option('--items <file>', 'JSONL of other things to review, in place of labels')
    .option('--questions <name>', `what is asked: ${Object.keys(questionSets).join(', ')}, or a file`)
    .option('--size <n>', 'items to draw (default: 100 labels, or every item of a file)', integer(1))
    .option('--seed <n>', 'decides the draw', integer(0), 12345)
    .addOption(
      new Option('--label <name>', 'which labels').choices(['defective', 'clean', 'both']).default('defective'),
    )
    .addOption(
      new Option('--stratify <name>', 'what the sample is proportional to')
        .choices(['project', 'transition', 'project-and-transition'])
        .default('project'),
    )
    .action(async (options: SampleOptions, command: Command) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      await keepInputs(cli, [options.mined, options.labels], { folders: [options.out] });
      await keepInputs(cli, [options.items, options.questions], {
        files: ['items.jsonl', 'questions.json', 'manifest.json'].map((name) => join(options.out, name)),
      });
      const { size, seed } = options;
      const out = at(options.out);
      let strata: Stratum[];
      if (options.items !== undefined) {
        const path = at(options.items);
        const questions = await readQuestions(options.questions ?? 'vulnerabilities', cli);
        strata = await createAudit(out, () => readItems(path), {
          questions,
          seed,
          ...(size !== undefined && { size }),
          inputs: { [options.items]: await digestFile(path) },
        });
      } else {
        if (options.mined === undefined || options.labels === undefined) {
          command.error('error: name --mined and --labels, or --items');
        }
        const [mined, labels] = [at(options.mined), join(at(options.labels), 'labels.jsonl')];
        const read = { signal: cli.signal };
        strata = await createLabelAudit(out, {
          labels: readRecords('redef.label/1', labels, read),
          changes: () => changesOf(mined, cli.signal),
          evidence: () => evidenceOf(mined, cli.signal),
          questions: options.questions === undefined ? labelQuestions : await readQuestions(options.questions, cli),
          size: size ?? 100,
          seed,
          label: options.label,
          stratifyBy: options.stratify,
          inputs: { 'labels.jsonl': await digestFile(labels) },
        });
      }
      for (const { name, population, sampled } of strata) print(cli, `${name}: ${sampled} of ${population}`);
      print(cli, `Next: redef audit serve ${options.out} --reviewer NAME --reviewer NAME`);
    });

const serveCommand = (cli: CliContext): Command =>
  new Command('serve')
    .description('open the pages of an audit on this machine, until Ctrl-C')
    .argument('<folder>', 'the output of redef audit sample')
    .requiredOption('--reviewer <name>', 'who reviews; give it twice', collect)
    .option('--port <n>', 'port on 127.0.0.1 (default: any free one)', integer(0))
    .action(async (folder: string, { reviewer, port }: { reviewer: string[]; port?: number }) => {
      const server = await serveAudit(resolve(cli.cwd, folder), {
        reviewers: reviewer,
        now: () => new Date().toISOString(),
        ...(port !== undefined && { port }),
      });
      for (const [who, url] of Object.entries(server.urls)) print(cli, `${who}: ${url}`);
      print(cli, 'Each address is the key to its page. Every answer is kept as it is given; Ctrl-C ends.');
      if (!cli.signal.aborted) {
        await new Promise<void>((done) => cli.signal.addEventListener('abort', () => done(), { once: true }));
      }
      await server.close();
    });

const reportCommand = (cli: CliContext): Command =>
  new Command('report')
    .description('what the reviewers found: Table 2, kappa and label precision, or Table XV by CWE')
    .argument('<folder>', 'the output of redef audit sample')
    .option('--json', 'as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const path = resolve(cli.cwd, folder);
      const report = auditReport(await readAudit(path), await readReviews(path));
      print(cli, json ? JSON.stringify(report, null, 2) : renderAuditReport(report));
    });

async function readQuestions(name: string, cli: CliContext): Promise<QuestionSet> {
  const known = Object.hasOwn(questionSets, name) ? questionSets[name] : undefined;
  if (known) return known;
  const path = resolve(cli.cwd, name);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  try {
    return parseQuestionSet(JSON.parse(text), path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new RedefError(`${path}: not JSON: ${error.message}`, {
      code: 'invalid-questions',
      remedy: `Name a set that ships (${Object.keys(questionSets).join(', ')}) or a JSON file.`,
    });
  }
}

async function* readItems(path: string) {
  for await (const { line, value } of readJsonlLines(path)) yield parseAuditItem(value, `${path}:${line}`);
}

async function* changesOf(mined: string, signal: AbortSignal): AsyncGenerator<CodeChange> {
  for await (const { change } of readCandidates(mined, { signal })) yield change;
}

async function* evidenceOf(mined: string, signal: AbortSignal): AsyncGenerator<ChangeEvidence> {
  for await (const { evidence } of readCandidates(mined, { signal })) yield evidence;
}

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { Variables } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import { languageOf, scanFunctions } from '@redef/mining';
import { type AppliedToFunction, applyToFunction, formatSource, unifiedDiff } from '@redef/repair';
import { loadRepairWeights, predictRepairs, repairDecoder, Seq2SeqDecoder, tokenizeText } from '@redef/repair/model';
import { Command, InvalidArgumentError } from 'commander';
import { applyPatch } from '../apply-patch.js';
import { type CliContext, print } from '../context.js';
import { integer } from '../options.js';
import { addRepairModelOptions, loadTrainedModel, type RepairModelFlags } from '../repair-model.js';
import { addSearchOptions, type RepairSearchFlags, searchOf } from '../repair-search.js';
import { repairFormatCommand } from './repair-format.js';
import { repairPredictCommand } from './repair-predict.js';
import { repairStudyCommand } from './repair-study.js';
import { repairTrainCommand } from './repair-train.js';

interface Options extends Partial<RepairModelFlags>, RepairSearchFlags {
  beam: number;
  context: number;
  cwe: string;
  lines?: { from: number; to: number };
  apply?: number;
  json?: true;
}

/** A predicted patch: what `--json` prints. */
interface Candidate {
  /** Place in the beam, 1-based. */
  rank: number;
  probability: number;
  target: string;
  status: AppliedToFunction['status'];
  /** Why it has no place. */
  reason?: string;
  /** One for a placed target, one for each reading of an ambiguous one. */
  patches: string[];
}

export const repairCommand = (cli: CliContext): Command =>
  addSearchOptions(
    addRepairModelOptions(
      new Command('repair')
        .description('propose patches for a vulnerable C function')
        .argument('<file:function>', 'src/net.c:read_header; file:function:line where there are several of that name'),
      'the output of redef repair train',
      false,
    ),
  )
    .option('--beam <n>', 'how many patches to look for', integer(1), 10)
    .option('--context <n>', 'tokens of context that the model was trained to write', integer(1), 3)
    .option('--lines <from-to>', 'lines of the file to mark as the buggy region', lineRange)
    .option('--cwe <tag>', 'the weakness, such as CWE-787', 'CWE-000')
    .option(
      '--apply <rank>',
      'write that patch into the file; needs a clean git tree, else keeps FILE.orig',
      integer(1),
    )
    .option('--json', 'print one JSON object')
    .addCommand(repairTrainCommand(cli))
    .addCommand(repairPredictCommand(cli))
    .addCommand(repairStudyCommand(cli))
    .addCommand(repairFormatCommand(cli))
    .action(async (place: string, options: Options) => {
      const { path, bytes, start, end, firstLine, encoding } = await findFunction(cli, place);
      const functionText = bytes.subarray(start, end).toString(encoding);
      const { lines, cwe, beam, apply } = options;
      checkLines(lines, firstLine, functionText);
      const source = formatSource(functionText, {
        cwe,
        ...(lines && { lines: { from: lines.from - firstLine + 1, to: lines.to - firstLine + 1 } }),
      });
      const found = await predict(cli, source, options);
      const applied = found.map(({ target }) =>
        applyToFunction(functionText, source, target, { contextTokens: options.context }),
      );
      const [head, tail] = [bytes.subarray(0, start).toString(encoding), bytes.subarray(end).toString(encoding)];
      const diffOf = ({ text }: { text: string }) =>
        unifiedDiff(head + functionText + tail, head + text + tail, {
          path: relative(cli.cwd, resolve(cli.cwd, path)),
        });
      const candidates = found.map(({ target, probability }, index): Candidate => {
        const result = applied[index]!;
        return {
          rank: index + 1,
          probability,
          target,
          status: result.status,
          ...(result.status === 'impossible' && { reason: result.reason }),
          patches:
            result.status === 'placed'
              ? [diffOf(result)]
              : result.status === 'ambiguous'
                ? result.candidates.map(diffOf)
                : [],
        };
      });
      print(cli, options.json ? JSON.stringify({ file: path, source, candidates }, null, 2) : toText(candidates, beam));
      if (apply === undefined) return;
      const chosen = applied[apply - 1];
      if (chosen?.status !== 'placed' || chosen.text === functionText) {
        const why =
          chosen?.status === 'placed' ? 'it changes nothing' : (chosen?.status ?? `there are ${found.length}`);
        throw new RedefError(`patch ${apply} cannot be applied: ${why}`, {
          code: 'invalid-argument',
          remedy: 'Choose the number of a patch that is placed and changes something.',
        });
      }
      const after = Buffer.concat([bytes.subarray(0, start), encode(chosen.text, encoding), bytes.subarray(end)]);
      const kept = await applyPatch(resolve(cli.cwd, path), bytes, after);
      cli.stderr.write(`wrote patch ${apply} to ${path}${kept === undefined ? '' : `; the file as it was: ${kept}`}\n`);
    });

async function predict(cli: CliContext, source: string, { model: folder, ...options }: Options) {
  if (folder === undefined) {
    throw new RedefError('--model is needed', {
      code: 'invalid-option',
      remedy: 'Name a folder that redef repair train wrote.',
    });
  }
  const trained = await loadTrainedModel(cli.cwd, { ...options, model: folder });
  const { model, tokenizer, driver } = trained;
  const variables = new Variables(driver);
  await loadRepairWeights(trained.folder, model, variables, { mayBeMissing: () => false });
  const { ids, cut } = tokenizeText(source, tokenizer, model.settings.max_source_tokens);
  if (cut) cli.stderr.write(`the function is longer than the model reads: its end was cut off\n`);
  const threads = options.threads === undefined ? {} : { threads: options.threads };
  const decoder = await Seq2SeqDecoder.create(repairDecoder(model), variables, threads);
  try {
    const [found] = await predictRepairs(decoder, model, tokenizer, [ids], {
      width: options.beam,
      search: searchOf(options, options.beam),
      signal: cli.signal,
    });
    return found!;
  } finally {
    await decoder.close();
  }
}

async function findFunction(cli: CliContext, place: string) {
  const [, path, name, line] = /^(.+?):([^:]+(?:::[^:]+)*)(?::(\d+))?$/.exec(place) ?? [];
  if (path === undefined || name === undefined) {
    throw new RedefError(`expected FILE:FUNCTION, got ${place}`, {
      code: 'invalid-argument',
      remedy: 'Name a file and a function in it, such as src/net.c:read_header.',
    });
  }
  let bytes: Buffer;
  try {
    bytes = await readFile(resolve(cli.cwd, path));
  } catch (error) {
    throw fileError(error, path);
  }
  const { functions } = scanFunctions(bytes, languageOf(path, bytes));
  const spans = functions.filter((span) => {
    return (
      span.name === name && (line === undefined || (span.startLine <= Number(line) && Number(line) <= span.endLine))
    );
  });
  if (spans.length !== 1) {
    const places = spans.map(({ startLine }) => `${path}:${name}:${startLine}`);
    throw new RedefError(
      spans.length === 0 ? `${path} has no function ${name}` : `${path} has ${spans.length} functions ${name}`,
      {
        code: 'invalid-argument',
        remedy: spans.length === 0 ? 'Name a function defined in that file.' : `Name one of ${places.join(', ')}.`,
      },
    );
  }
  const [{ start, end, startLine }] = spans as [(typeof spans)[number]];
  return { path, bytes, start, end, firstLine: startLine, encoding: encodingOf(bytes) };
}

/** @throws `RedefError` `invalid-argument` where the lines are all outside of the function */
function checkLines(lines: Options['lines'], firstLine: number, functionText: string): void {
  const lastLine = firstLine + functionText.split('\n').length - 1;
  if (!lines || (lines.from <= lastLine && lines.to >= firstLine)) return;
  throw new RedefError(`the function is on lines ${firstLine} to ${lastLine}, not on ${lines.from} to ${lines.to}`, {
    code: 'invalid-argument',
    remedy: 'Give --lines as the file counts them.',
  });
}

/** A file that is no UTF-8 is read byte for byte, so that what is not patched stays as it is. */
function encodingOf(bytes: Buffer): 'utf8' | 'latin1' {
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

function encode(text: string, encoding: 'utf8' | 'latin1'): Buffer {
  const bytes = Buffer.from(text, encoding);
  if (bytes.toString(encoding) === text) return bytes;
  throw new RedefError('the patch has characters that the encoding of the file has not', {
    code: 'invalid-argument',
    remedy: 'Convert the file to UTF-8, or choose another patch.',
  });
}

function toText(candidates: readonly Candidate[], beam: number): string {
  const shown = candidates.map(({ rank, probability, status, reason, patches }) => {
    const head = `${rank}. probability ${probability.toPrecision(3)}, ${status}${reason === undefined ? '' : `: ${reason}`}`;
    return [head, ...patches.map((patch) => (patch === '' ? 'changes nothing' : patch.replace(/\n$/, '')))].join('\n');
  });
  return shown.length === 0 ? `no patch among ${beam} beams` : shown.join('\n\n');
}

function lineRange(text: string): { from: number; to: number } {
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(text.trim()) ?? [];
  const range = { from: Number(from), to: Number(to ?? from) };
  if (!(range.from >= 1 && range.to >= range.from))
    throw new InvalidArgumentError('expected lines such as 12 or 12-14');
  return range;
}

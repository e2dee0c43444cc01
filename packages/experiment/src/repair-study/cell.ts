import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Driver, Variables } from '@redef/autodiff';
import { digestOf, type ProgressEvent, type RunOptions } from '@redef/core';
import { readJsonlLines, writeJsonl } from '@redef/core/files';
import { weightFiles } from '@redef/models';
import type { RepairPredictions } from '@redef/repair';
import {
  loadRepairWeights,
  PairList,
  predictRepairs,
  readRepairModel,
  repairDecoder,
  Seq2SeqDecoder,
  type SequenceTokenizer,
  type TrainRepairOptions,
  tokenizeSample,
  tokenizeText,
  trainRepairModel,
} from '@redef/repair/model';
import type { FitSettings } from '@redef/training';
import { runStage, type StageResult } from '../stage.js';
import type { RepairRow, RepairSplit } from './scenarios.js';

/** What the cells of a study share. */
export interface CellTools {
  tokenizer: SequenceTokenizer;
  driver: Driver;
  paddingInLoss: boolean;
  /** Samples decoded at once. */
  batchSize: number;
  /** Threads inside an op. */
  threads?: number;
}

export interface TrainCell {
  /** Where the model is written. */
  folder: string;
  start: TrainRepairOptions['start'];
  split: Pick<RepairSplit, 'train' | 'validation'>;
  seed: number;
  settings: Partial<FitSettings>;
}

type CellOptions = RunOptions<ProgressEvent>;

/** Trains one model, unless its folder holds what the same data and settings gave. */
export async function trainCell(
  { folder, start, split, seed, settings: fit }: TrainCell,
  { tokenizer, driver, paddingInLoss }: CellTools,
  { signal, onEvent }: CellOptions,
): Promise<StageResult> {
  const base = 'folder' in start ? await readRepairModel(start.folder) : start;
  const settings = { ...base.settings, ...('folder' in start ? start.settings : undefined) };
  return runStage({
    name: 'repair-train',
    folder,
    inputFiles: 'folder' in start ? { start: await weightsOf(start.folder) } : {},
    inputDigests: { train: digestOf(split.train), validation: digestOf(split.validation) },
    config: { model: { config: base.config, settings }, fit, tokenizer: tokenizer.id, padding_in_loss: paddingInLoss },
    seed,
    async run() {
      const vocabularySize = Math.max(base.config.vocab_size, tokenizer.size);
      const cut = { sources: 0, targets: 0 };
      const pairs = (rows: readonly RepairRow[]) => {
        const list = new PairList(vocabularySize);
        for (const row of rows) list.push(tokenizeSample(row, tokenizer, settings));
        return list;
      };
      const [train, validation] = [pairs(split.train), pairs(split.validation)];
      for (let index = 0; index < train.length; index++) {
        const { sourceCut, targetCut } = train.at(index)!;
        cut.sources += Number(sourceCut);
        cut.targets += Number(targetCut);
      }
      const trained = await trainRepairModel({
        folder,
        start,
        vocabularySize,
        train,
        validation,
        seed,
        settings: fit,
        paddingInLoss,
        driver,
        ...(signal && { signal }),
        onEvent: (event) => {
          if (event.type === 'progress') onEvent?.(event);
        },
      });
      return {
        outputs: ['config.json', 'model.safetensors', 'repair.json'],
        counts: { in: train.length, kept: train.length, dropped: {} },
        details: {
          epochs: trained.epochs,
          best_epoch: trained.bestEpoch,
          sources_cut: cut.sources,
          targets_cut: cut.targets,
        },
      };
    },
  });
}

/** The weights that a folder is opened by. */
async function weightsOf(folder: string): Promise<string> {
  const paths = weightFiles.map((name) => join(folder, name));
  for (const path of paths) if (await stat(path).catch(() => undefined)) return path;
  return paths[0]!; // whose absence is then told
}

const predictionsFile = 'predictions.jsonl';

/** Predicts a test set with one model and width, unless that is there already, and gives the predictions. */
export async function predictCell(
  {
    folder,
    model: modelFolder,
    test,
    seed,
    width,
  }: { folder: string; model: string; test: readonly RepairRow[]; seed: number; width: number },
  { tokenizer, driver, batchSize, threads }: CellTools,
  { signal, onEvent }: CellOptions,
): Promise<RepairPredictions[]> {
  await runStage({
    name: 'repair-predict',
    folder,
    inputFiles: { model: join(modelFolder, 'model.safetensors'), settings: join(modelFolder, 'repair.json') },
    inputDigests: { test: digestOf(test) },
    config: { width, tokenizer: tokenizer.id },
    seed,
    async run() {
      const model = await readRepairModel(modelFolder);
      const variables = new Variables(driver);
      await loadRepairWeights(modelFolder, model, variables, { mayBeMissing: () => false });
      const decoder = await Seq2SeqDecoder.create(
        repairDecoder(model),
        variables,
        threads === undefined ? {} : { threads },
      );
      try {
        const sources = test.map(({ source }) => tokenizeText(source, tokenizer, model.settings.max_source_tokens));
        const ids = sources.map((source) => source.ids);
        const found = await predictRepairs(decoder, model, tokenizer, ids, {
          width,
          batchSize,
          ...(signal && { signal }),
          ...(onEvent && { onEvent }),
        });
        const rows = test.map(({ id }, index) => ({
          id,
          seed,
          predictions: found[index]!.map(({ target }) => target),
          probabilities: found[index]!.map(({ probability }) => probability),
        }));
        await writeJsonl(join(folder, predictionsFile), rows);
        return {
          outputs: [predictionsFile],
          counts: { in: test.length, kept: test.length, dropped: {} },
          details: { sources_cut: sources.filter(({ cut }) => cut).length },
        };
      } finally {
        await decoder.close();
      }
    },
  });
  const predictions: RepairPredictions[] = [];
  for await (const { value } of readJsonlLines(join(folder, predictionsFile))) {
    const { id, predictions: targets } = value as { id: string; predictions: string[] };
    predictions.push({ id, seed, predictions: targets });
  }
  return predictions;
}

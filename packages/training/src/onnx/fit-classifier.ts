import { join, relative } from 'node:path';
import { createDriver, Variables } from '@redef/autodiff';
import { createRng, digestOf, RedefError, type RunOptions } from '@redef/core';
import { makeFolder } from '@redef/core/files';
import { bestThreshold, metrics } from '@redef/stats';
import { balancedWeight } from '../balanced-weight.js';
import { checkSeed } from '../check-seed.js';
import type { TrainedModel, TrainingEvent, TrainingJob } from '../engine.js';
import { fitLoop } from '../fit/fit-loop.js';
import type { FitSettings } from '../fit/settings.js';
import { createFitLog } from '../tensorboard/fit-log.js';
import { type Classifier, classifierTask } from './classifier.js';
import { checkExample, collectExamples, digestOfExamples, vocabularyFor } from './examples.js';
import { checkNames, completeLora } from './lora.js';
import { anyGraph, saveClassifier } from './model-folder.js';
import { loadBase, nameOf, openModel } from './model-source.js';
import { deviceOptions, type OnnxEngineOptions } from './options.js';
import { predictScores } from './predictor.js';

/** What of the options has a default, filled in. */
export type FitClassifierOptions = OnnxEngineOptions &
  Required<Pick<OnnxEngineOptions, 'device' | 'positiveWeight' | 'threshold' | 'selectBy' | 'predictBatchSize'>> & {
    settings: Partial<FitSettings>;
  };

/** `fit` of the `onnx` engine: examples, model, loop, and what is kept of it. */
export async function fitClassifier(
  { folder, seed, ...job }: TrainingJob,
  options: FitClassifierOptions,
  { signal, onEvent }: RunOptions<TrainingEvent>,
): Promise<TrainedModel> {
  const { model: source, device, precision, positiveWeight, threshold: rule, selectBy, now } = options;
  const batchSize = options.predictBatchSize;
  if (!source) {
    throw new RedefError('The engine has no model to start from', {
      code: 'invalid-option',
      remedy: 'Pass model: a checkpoint, a model on the hub, or a config for random weights.',
    });
  }
  checkSeed(seed);
  const stop = signal ? { signal } : {};
  const train = await collectExamples(job.train, signal);
  const validation = await collectExamples(job.validation, signal);
  const balanced = balancedWeight(train);
  const weight = positiveWeight === 'balanced' ? balanced : positiveWeight;

  const base = await openModel(source, { ...stop, ...(onEvent && { onEvent }) });
  const all = [...train, ...validation];
  const config = { ...base.config, vocab_size: vocabularyFor(all, base.config, options.vocabularySize) };
  for (const example of all) checkExample(example, config);
  const lora = options.lora && completeLora(options.lora, config);
  const classifier: Classifier = { config, ...(lora && { lora }) };
  if (lora) checkNames(lora, anyGraph(classifier));
  const variables = new Variables(await createDriver(device, deviceOptions(options)));
  const rng = createRng(seed).fork('weights');
  const report = base.folder === undefined ? undefined : await loadBase(base.folder, config, variables, rng);

  const labels = validation.map(({ label }) => label);
  const validationScores = async () => {
    const scores: number[] = [];
    for await (const { score } of predictScores(classifier, variables, validation, { batchSize, ...stop })) {
      scores.push(score);
    }
    return scores;
  };
  const fixed = rule === 'validation' ? 0.5 : rule;
  const measure = async () => {
    const measured = metrics(labels, await validationScores(), { threshold: fixed });
    return measured.undefinedBecause[selectBy] === undefined ? measured[selectBy] : null;
  };

  const logFolder = join(folder, 'tensorboard');
  if (options.tensorBoard) await makeFolder(logFolder);
  const log = options.tensorBoard ? createFitLog(logFolder, now) : undefined;
  let threshold = fixed;
  let files: string[] = [];
  const { epochs, bestEpoch, selectedByValidation } = await fitLoop({
    task: classifierTask(classifier, weight),
    items: train,
    ...(labels.includes(1) && { validation: { metric: selectBy, higherIsBetter: true, measure } }),
    variables,
    folder,
    identity: digestOf([
      base.identity,
      config,
      lora,
      device,
      precision,
      weight,
      rule,
      batchSize,
      digestOfExamples(all),
      train.length,
    ]),
    seed,
    settings: { ...options.settings, ...(job.epochs !== undefined && { epochs: job.epochs }) },
    save: async () => {
      if (rule === 'validation' && labels.includes(1) && labels.includes(0)) {
        threshold = bestThreshold(labels, await validationScores()).threshold;
      }
      const drawn = [...(report?.initialized ?? []), ...(report?.resized.map(({ name }) => name) ?? [])];
      files = await saveClassifier(folder, classifier, variables, { base: nameOf(source), drawn });
    },
    ...(now && { now }),
    ...stop,
    onEvent: (event) => {
      log?.(event);
      if (event.type === 'progress') onEvent?.(event);
      if (event.type === 'checkpoint-lost') {
        const stage = `checkpoint ${event.checkpoint} is passed over: ${event.problem}`;
        onEvent?.({ type: 'progress', stage, done: 0, unit: 'steps' });
      }
    },
  });

  const perExample = train.reduce((sum, { label }) => sum + (label === 1 ? weight : 1), 0) / train.length;
  return {
    folder,
    engine: 'onnx',
    epochs: epochs.map(({ epoch, trainLoss, validation: value }) => ({
      epoch,
      trainLoss: trainLoss * perExample,
      validationF1: selectBy === 'f1' ? value : null,
      ...(selectBy !== 'f1' && { validation: { metric: selectBy, value } }),
    })),
    bestEpoch,
    selectedByValidation,
    threshold,
    files: files.map((path) => relative(folder, path)),
    ...(report && {
      checkpoint: { initialized: report.initialized, resized: report.resized, surplus: report.surplus },
    }),
  };
}

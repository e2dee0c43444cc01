import { join, relative } from 'node:path';
import { createDriver, type Device, Variables } from '@redef/autodiff';
import { createRng, digestOf, RedefError, type RunOptions } from '@redef/core';
import { makeFolder } from '@redef/core/files';
import { bestThreshold, metrics } from '@redef/stats';
import { balancedWeight } from '../balanced-weight.js';
import type { Score, TrainedModel, TrainingEngine, TrainingEvent, TrainingJob } from '../engine.js';
import { fitLoop } from '../fit/fit-loop.js';
import { completeSettings, type FitSettings } from '../fit/settings.js';
import type { Validation } from '../fit/task.js';
import { createFitLog } from '../tensorboard/fit-log.js';
import { type Classifier, classifierTask } from './classifier.js';
import { checkExample, collectExamples, vocabularyFor } from './examples.js';
import { completeLora, type Lora } from './lora.js';
import { loadClassifier, saveClassifier } from './model-folder.js';
import { loadBase, type ModelSource, openModel } from './model-source.js';
import { predictScores } from './predictor.js';

export interface OnnxEngineOptions extends Partial<FitSettings> {
  /** What `fit` starts from, and what an adapter is added to in `predict`. Default: nothing to fit, and the base that the adapter names. */
  model?: ModelSource;
  /** What computes. Default `cpu`. */
  device?: Device;
  /** Threads on the CPU. Default: one for each physical core. Another number may give other bits. */
  threads?: number;
  /** Rows of the embedding table. Default: the model's, and 64 more where the examples have ids up to there: added tags. */
  vocabularySize?: number;
  /** Weight of the positive class against the negative. Default `balanced`: N_neg / N_pos of the training set (ReDef, section 4.4). */
  positiveWeight?: 'balanced' | number;
  /** Predicted defective from this score; `validation`: the score with the best F1 there, chosen when training is done. Default 0.5. */
  threshold?: 'validation' | number;
  /** Trains low-rank additions alone; they are saved in the layout of the Python library peft. Needs a model with weights. */
  lora?: Pick<Lora, 'rank' | 'alpha'> & Partial<Lora>;
  /** Writes curves of loss, learning rate and validation F1 for TensorBoard into `tensorboard/` in the model's folder. */
  tensorBoard?: boolean;
  /** Rows of a batch in prediction. Default 16. */
  predictBatchSize?: number;
  /** Milliseconds. Absent: events tell no speed. */
  now?: () => number;
}

/**
 * Fine-tunes RoBERTa and T5 encoders with a classification head (CodeBERT, GraphCodeBERT, UniXcoder, CodeT5+), with the
 * settings of ReDef, section 4.4. The model's folder holds `config.json` and `model.safetensors`, as other libraries read
 * them, or an adapter. Training and validation sets are held in memory, 4 bytes a token.
 *
 * `fit` goes on where a run in the same folder, with the same options and examples, was stopped. Besides what
 * {@link fitLoop} throws: `empty-training-set`, `one-class-training-set`, `wrong-vocabulary`, `too-many-tokens`,
 * `corrupt-weights`, `weights-mismatch`, `provider-unavailable`.
 *
 * @throws `RedefError` `invalid-option`
 */
export function createOnnxEngine(options: OnnxEngineOptions = {}): TrainingEngine {
  const {
    model: source,
    device = 'cpu',
    threads,
    vocabularySize,
    positiveWeight = 'balanced',
    threshold: rule = 0.5,
    lora: givenLora,
    tensorBoard = false,
    predictBatchSize: batchSize = 16,
    now,
    ...givenSettings
  } = options;
  const settings = completeSettings(givenSettings);
  checkOptions(options);

  return {
    id: 'onnx',
    options: {
      ...(source && { model: describeSource(source) }),
      device,
      ...(threads !== undefined && { threads }),
      ...(vocabularySize !== undefined && { vocabularySize }),
      positiveWeight,
      threshold: rule,
      ...(givenLora && { lora: givenLora }),
      ...settings,
    },

    async fit(job: TrainingJob, { signal, onEvent }: RunOptions<TrainingEvent> = {}): Promise<TrainedModel> {
      const { folder, seed } = job;
      if (!source) {
        throw new RedefError('The engine has no model to start from', {
          code: 'invalid-option',
          remedy: 'Pass model: a checkpoint, a model on the hub, or a config for random weights.',
        });
      }
      const stop = signal ? { signal } : {};
      const train = await collectExamples(job.train, signal);
      const validation = await collectExamples(job.validation, signal);
      const balanced = balancedWeight(train);
      const weight = positiveWeight === 'balanced' ? balanced : positiveWeight;
      const base = await openModel(source, { ...stop, ...(onEvent && { onEvent }) });
      const all = [...train, ...validation];
      const config = { ...base.config, vocab_size: vocabularyFor(all, base.config, vocabularySize) };
      for (const example of all) checkExample(example, config);

      const variables = new Variables(await createDriver(device, { ...(threads !== undefined && { threads }) }));
      const lora = givenLora && completeLora(givenLora, config);
      const classifier: Classifier = { config, ...(lora && { lora }) };
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
      const threshold = rule === 'validation' ? 0.5 : rule;
      const judge: Validation = {
        metric: 'f1',
        higherIsBetter: true,
        measure: async () => metrics(labels, await validationScores(), { threshold }).f1,
      };
      const logFolder = join(folder, 'tensorboard');
      if (tensorBoard) await makeFolder(logFolder);
      const log = tensorBoard ? createFitLog(logFolder, now) : undefined;
      const examples = all.map(({ id, label, inputIds }) => [id, label, digestOf(Array.from(inputIds))]);
      const { epochs, bestEpoch, selectedByValidation } = await fitLoop({
        task: classifierTask(classifier, weight),
        items: train,
        ...(labels.includes(1) && { validation: judge }),
        variables,
        folder,
        identity: digestOf([base.identity, config, lora, device, weight, rule, batchSize, examples, train.length]),
        seed,
        settings: { ...settings, ...(job.epochs !== undefined && { epochs: job.epochs }) },
        ...(now && { now }),
        ...stop,
        onEvent: (event) => {
          log?.(event);
          if (event.type === 'progress') onEvent?.(event);
        },
      });

      const drawn = [...(report?.initialized ?? []), ...(report?.resized.map(({ name }) => name) ?? [])];
      const files = await saveClassifier(folder, classifier, variables, { base: nameOf(source), drawn });
      const perExample = train.reduce((sum, { label }) => sum + (label === 1 ? weight : 1), 0) / train.length;
      const choosesThreshold = rule === 'validation' && labels.includes(1) && labels.includes(0);
      return {
        folder,
        engine: 'onnx',
        epochs: epochs.map(({ epoch, trainLoss, validation: validationF1 }) => ({
          epoch,
          trainLoss: trainLoss * perExample,
          validationF1,
        })),
        bestEpoch,
        selectedByValidation,
        threshold: choosesThreshold ? bestThreshold(labels, await validationScores()).threshold : threshold,
        files: files.map((path) => relative(folder, path)),
        ...(report && {
          checkpoint: { initialized: report.initialized, resized: report.resized, surplus: report.surplus },
        }),
      };
    },

    async *predict(folder, examples, { signal } = {}): AsyncGenerator<Score, void, undefined> {
      const variables = new Variables(await createDriver(device, { ...(threads !== undefined && { threads }) }));
      const classifier = await loadClassifier(folder, variables, source);
      yield* predictScores(classifier, variables, examples, {
        batchSize,
        check: (example) => checkExample(example, classifier.config),
        ...(signal && { signal }),
      });
    },
  };
}

function describeSource(source: ModelSource): unknown {
  return 'hub' in source ? { hub: source.hub.repo, revision: source.hub.revision ?? 'main' } : source;
}

function nameOf(source: ModelSource): string {
  if ('hub' in source) return source.hub.repo;
  return 'checkpoint' in source ? source.checkpoint : '';
}

function checkOptions(options: OnnxEngineOptions): void {
  const { positiveWeight = 1, threshold = 0.5, device = 'cpu', lora, model } = options;
  const refuse = (name: string, expected: string, got: unknown) => {
    throw new RedefError(`${name} must be ${expected}, got ${JSON.stringify(got)}`, {
      code: 'invalid-option',
      remedy: `Leave ${name} out to take the default.`,
    });
  };
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;
  if (positiveWeight !== 'balanced' && !(positiveWeight > 0 && Number.isFinite(positiveWeight)))
    refuse('positiveWeight', "'balanced' or above 0", positiveWeight);
  if (threshold !== 'validation' && !(threshold >= 0 && threshold <= 1))
    refuse('threshold', "'validation' or from 0 to 1", threshold);
  if (!['cpu', 'cuda', 'webgpu', 'dml', 'auto'].includes(device))
    refuse('device', 'cpu, cuda, webgpu, dml or auto', device);
  for (const name of ['predictBatchSize', 'vocabularySize', 'threads'] as const) {
    if (options[name] !== undefined && !isCount(options[name])) refuse(name, 'an integer of at least 1', options[name]);
  }
  if (!lora) return;
  if (!isCount(lora.rank)) refuse('lora.rank', 'an integer of at least 1', lora.rank);
  if (!(lora.alpha > 0)) refuse('lora.alpha', 'above 0', lora.alpha);
  if (model && 'config' in model) refuse('lora', 'absent where a model starts from random weights', lora);
}

import { createDriver, Variables } from '@redef/autodiff';
import type { Score, TrainingEngine } from '../engine.js';
import { completeSettings } from '../fit/settings.js';
import { checkExample } from './examples.js';
import { fitClassifier } from './fit-classifier.js';
import { loadClassifier } from './model-folder.js';
import { describeSource } from './model-source.js';
import { checkOptions, deviceOptions, type OnnxEngineOptions } from './options.js';
import { predictScores } from './predictor.js';

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
    model,
    device = 'cpu',
    precision,
    threads,
    vocabularySize,
    positiveWeight = 'balanced',
    threshold = 0.5,
    selectBy = 'f1',
    lora,
    tensorBoard = false,
    predictBatchSize = 16,
    now,
    ...given
  } = options;
  const settings = completeSettings(given);
  checkOptions(options);

  return {
    id: 'onnx',
    options: {
      ...(model && { model: describeSource(model) }),
      device,
      ...(precision !== undefined && { precision }),
      ...(threads !== undefined && { threads }),
      ...(vocabularySize !== undefined && { vocabularySize }),
      positiveWeight,
      threshold,
      selectBy,
      ...(lora && { lora }),
      ...settings,
    },

    fit: (job, run = {}) =>
      fitClassifier(
        job,
        { ...options, device, positiveWeight, threshold, selectBy, tensorBoard, predictBatchSize, settings },
        run,
      ),

    async *predict(folder, examples, { signal } = {}): AsyncGenerator<Score, void, undefined> {
      const variables = new Variables(await createDriver(device, deviceOptions(options)));
      const classifier = await loadClassifier(folder, variables, model);
      yield* predictScores(classifier, variables, examples, {
        batchSize: predictBatchSize,
        check: (example) => checkExample(example, classifier.config),
        ...(signal && { signal }),
      });
    },
  };
}

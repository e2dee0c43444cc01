import type { Device, DeviceOptions, Precision } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import type { FitSettings } from '../fit/settings.js';
import type { Lora } from './lora.js';
import type { ModelSource } from './model-source.js';

export interface OnnxEngineOptions extends Partial<FitSettings> {
  /** What `fit` starts from, and what an adapter is added to in `predict`. Default: nothing to fit, and the base that the adapter names. */
  model?: ModelSource;
  /** What computes. Default `cpu`. */
  device?: Device;
  /**
   * `float16`: products and activations in half precision, weights, AdamW, norms and the loss in single, the loss scaled
   * (dynamically); on a device that has it, not the CPU. Default `float32`.
   */
  precision?: Precision;
  /** Threads on the CPU. Default: one for each physical core. Another number may give other bits. */
  threads?: number;
  /**
   * Rows of the embedding table, at the least: a model that has more keeps them all. Default: the model's, and 64 more where
   * the examples have ids up to there: added tags.
   */
  vocabularySize?: number;
  /** Weight of the positive class against the negative. Default `balanced`: N_neg / N_pos of the training set (ReDef, section 4.4). */
  positiveWeight?: 'balanced' | number;
  /** Predicted defective from this score; `validation`: the score with the best F1 there, chosen when training is done. Default 0.5. */
  threshold?: 'validation' | number;
  /** What chooses the best epoch on validation; higher is better. Default `f1`, as ReDef, section 4.4. */
  selectBy?: 'f1' | 'mcc' | 'prAuc' | 'rocAuc' | 'balancedAccuracy';
  /** Trains low-rank additions alone; they are saved in the layout of the Python library peft. Needs a model with weights. */
  lora?: Pick<Lora, 'rank' | 'alpha'> & Partial<Lora>;
  /** Writes curves of loss, learning rate and validation F1 for TensorBoard into `tensorboard/` in the model's folder. */
  tensorBoard?: boolean;
  /** Rows of a batch in prediction. Default 16. */
  predictBatchSize?: number;
  /** Milliseconds. Absent: events tell no speed. */
  now?: () => number;
}

/** What of the options opens a device. */
export function deviceOptions({ threads, precision }: OnnxEngineOptions): DeviceOptions {
  return { ...(threads !== undefined && { threads }), ...(precision !== undefined && { precision }) };
}

/** @throws `RedefError` `invalid-option`, which names the option */
export function checkOptions(options: OnnxEngineOptions): void {
  const { positiveWeight = 1, threshold = 0.5, device = 'cpu', selectBy = 'f1', lora, model } = options;
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
  if (options.precision !== undefined && !['float32', 'float16'].includes(options.precision))
    refuse('precision', 'float32 or float16', options.precision);
  if (!['f1', 'mcc', 'prAuc', 'rocAuc', 'balancedAccuracy'].includes(selectBy))
    refuse('selectBy', 'f1, mcc, prAuc, rocAuc or balancedAccuracy', selectBy);
  for (const name of ['predictBatchSize', 'vocabularySize', 'threads'] as const) {
    if (options[name] !== undefined && !isCount(options[name])) refuse(name, 'an integer of at least 1', options[name]);
  }
  if (!lora) return;
  if (!isCount(lora.rank)) refuse('lora.rank', 'an integer of at least 1', lora.rank);
  if (!(lora.alpha > 0 && Number.isFinite(lora.alpha))) refuse('lora.alpha', 'finite and above 0', String(lora.alpha));
  if (model && 'config' in model) refuse('lora', 'absent where a model starts from random weights', lora);
}

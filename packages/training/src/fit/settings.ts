import { RedefError } from '@redef/core';

/** How long and how fast a fit loop goes. The defaults are those of ReDef, section 4.4. */
export interface FitSettings {
  /** Passes over the items. Default 6. */
  epochs: number;
  /** Rows of a batch. Default 8. */
  batchSize: number;
  /** Batches whose gradients make one step: equal to one batch of all their rows. Default 1. */
  accumulation: number;
  /** The highest. Default 1e-5. */
  learningRate: number;
  /** From 0 up to the learning rate over the warm-up, then down to 0 at the last step; or level. Default linear. */
  schedule: 'linear' | 'constant';
  /** Share of all steps. Default 0.1. */
  warmUp: number;
  /** AdamW's, on matrices alone: biases and normalization weights do not decay. Default 0.01. */
  weightDecay: number;
  /** Most that the joint norm of the gradients may be. Default 1. */
  clipNorm: number;
  /** Epochs without a better validation metric after which training stops. Default: never. */
  patience: number;
  /**
   * Steps that are made in one run of the device, on batches near in length. `auto`: as many as make 8 batches on a device
   * that gives the weights back after each run (CUDA, DirectML), else 1.
   */
  stepsPerRun: 'auto' | number;
  /** Steps from one checkpoint to the next; each epoch ends with one as well. Default 200. */
  checkpointEvery: number;
  /** Checkpoints that are kept. Default 2. */
  keepCheckpoints: number;
}

export const defaultFitSettings: Readonly<FitSettings> = {
  epochs: 6,
  batchSize: 8,
  accumulation: 1,
  learningRate: 1e-5,
  schedule: 'linear',
  warmUp: 0.1,
  weightDecay: 0.01,
  clipNorm: 1,
  patience: Number.POSITIVE_INFINITY,
  stepsPerRun: 'auto',
  checkpointEvery: 200,
  keepCheckpoints: 2,
};

const counts = ['epochs', 'batchSize', 'accumulation', 'checkpointEvery', 'keepCheckpoints'] as const;

/** @throws `RedefError` `invalid-option`, which names the setting */
export function completeSettings(given: Partial<FitSettings> = {}): FitSettings {
  const settings = { ...defaultFitSettings, ...given };
  for (const name of counts) require(settings[name] >= 1 && Number.isSafeInteger(settings[name]), name, 'an integer');
  const { stepsPerRun } = settings;
  require(stepsPerRun === 'auto' ||
    (stepsPerRun >= 1 && Number.isSafeInteger(stepsPerRun)), 'stepsPerRun', "'auto' or an integer of at least 1");
  require(settings.patience >= 1, 'patience', '1 or more');
  require(settings.learningRate > 0 && Number.isFinite(settings.learningRate), 'learningRate', 'above 0');
  require(settings.clipNorm > 0, 'clipNorm', 'above 0');
  require(settings.weightDecay >= 0 && settings.weightDecay < 1, 'weightDecay', 'at least 0 and below 1');
  require(settings.warmUp >= 0 && settings.warmUp <= 1, 'warmUp', 'from 0 to 1');
  require(['linear', 'constant'].includes(settings.schedule), 'schedule', "'linear' or 'constant'");
  return settings;

  function require(holds: boolean, name: keyof FitSettings, expected: string): void {
    if (holds) return;
    throw new RedefError(
      `${name} must be ${expected === 'an integer' ? 'an integer of at least 1' : expected}, got ${settings[name]}`,
      {
        code: 'invalid-option',
        remedy: `Leave ${name} out to take ${defaultFitSettings[name]}.`,
      },
    );
  }
}

/**
 * The learning rate of a step: up in a straight line over the warm-up (whole steps, rounded down), then down in
 * another, as `get_linear_schedule_with_warmup`: with a warm-up, the first step's is 0.
 *
 * @param step 1 for the first
 */
export function learningRateAt(
  step: number,
  totalSteps: number,
  { learningRate, schedule, warmUp }: Pick<FitSettings, 'learningRate' | 'schedule' | 'warmUp'>,
): number {
  const warmUpSteps = Math.floor(totalSteps * warmUp);
  const done = step - 1;
  if (done < warmUpSteps) return (learningRate * done) / warmUpSteps;
  if (schedule === 'constant') return learningRate;
  return (learningRate * (totalSteps - done)) / Math.max(1, totalSteps - warmUpSteps);
}

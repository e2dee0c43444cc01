import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Variables } from '@redef/autodiff';
import { createRng, digestOf, type ProgressEvent, RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { lock, makeFolder } from '@redef/core/files';
import { checkSeed } from '../check-seed.js';
import { CheckpointStore, type FitPosition } from './checkpoint-store.js';
import { type EpochPlan, planEpoch, stepsPerEpoch } from './plan.js';
import { completeSettings, type FitSettings, learningRateAt } from './settings.js';
import type { Task, Validation } from './task.js';
import { type StepResult, Trainer } from './trainer.js';

export interface FitLoopOptions<Item> extends RunOptions<FitEvent> {
  task: Task<Item>;
  /** What to learn from: all in memory, in an order of their own that the seed then shuffles. */
  items: readonly Item[];
  /** Absent: the weights of the last epoch are kept. */
  validation?: Validation;
  /** The weights to start from; what the task's parameters lack here is drawn from the seed. At the end: the best epoch's. */
  variables: Variables;
  /** For checkpoints, in a folder of its own in it; removed when the loop is done. */
  folder: string;
  /**
   * A digest of what is trained on what. A run in the same folder with the same one goes on where the last stopped; with
   * another one, or other settings that decide the result, the checkpoints there are removed.
   */
  identity: string;
  /** Everything random follows from it. */
  seed: number;
  /** Saves what `variables` hold at the end, before the checkpoints are removed: a kill meanwhile loses nothing. */
  save?: () => Promise<void>;
  settings?: Partial<FitSettings>;
  /** Milliseconds. Absent: events tell no speed. */
  now?: () => number;
}

/** After each step. */
export interface StepEvent extends ProgressEvent, StepResult {
  stage: 'train';
  unit: 'steps';
  /** 1-based. */
  epoch: number;
  learningRate: number;
  tokensPerSecond?: number;
  /** At the speed so far, validation included. */
  secondsLeft?: number;
}

/** After each epoch. */
export interface EpochEvent extends FitEpoch {
  type: 'epoch';
  /** Steps done. */
  step: number;
  metric?: string;
}

/** Where a checkpoint of this job cannot be gone on from: the one before it is taken, or the training begins anew. */
export interface CheckpointLostEvent {
  type: 'checkpoint-lost';
  /** Its name in the folder, without extension. */
  checkpoint: string;
  problem: string;
}

export type FitEvent = StepEvent | EpochEvent | CheckpointLostEvent;

export interface FitEpoch {
  /** 1-based. */
  epoch: number;
  /** Mean over the items by their weights, each taken before its own update. */
  trainLoss: number;
  /** `null` where there is no validation, or it is undefined. */
  validation: number | null;
}

export interface FitResult {
  /** Fewer than asked for where patience ran out. */
  epochs: readonly FitEpoch[];
  /** The epoch whose weights `variables` now holds: the earliest with the best validation metric, or the last. */
  bestEpoch: number;
  /** False where validation could not choose. */
  selectedByValidation: boolean;
}

/**
 * Trains with AdamW (ReDef, section 4.4). Checkpoints hold weights, moments and position; a run that was killed and is
 * started again with the same options ends, on the CPU with the same number of threads, with the bits of one that was
 * not. An aborted run saves first.
 *
 * @throws `RedefError` `aborted`, `non-finite-loss` (names step, learning rate and batch), `out-of-memory` (names batch and
 * length), `disk-full`; the last checkpoint is intact. `in-use` where another run trains in the folder
 */
export async function fitLoop<Item>(options: FitLoopOptions<Item>): Promise<FitResult> {
  const { stepsPerRun: asked, ...given } = completeSettings(options.settings);
  const { loopsSteps } = options.variables.driver;
  const stepsPerRun = asked !== 'auto' ? asked : loopsSteps ? Math.max(1, Math.floor(8 / given.accumulation)) : 1;
  checkSeed(options.seed);
  if (options.items.length === 0) {
    throw new RedefError('There is nothing to learn from: the training set is empty', {
      code: 'empty-training-set',
      remedy: 'Pass items.',
    });
  }
  await makeFolder(options.folder);
  const checkpoints = join(options.folder, 'checkpoints');
  const unlock = await lock(checkpoints);
  try {
    const { checkpointEvery, keepCheckpoints, ...decisive } = given;
    return await runSteps(
      options,
      { ...decisive, stepsPerRun },
      new CheckpointStore(checkpoints, keepCheckpoints),
      checkpointEvery,
    );
  } finally {
    await unlock();
  }
}

/** @param settings those that decide the result: they identify the job */
async function runSteps<Item>(
  options: FitLoopOptions<Item>,
  settings: Omit<FitSettings, 'checkpointEvery' | 'keepCheckpoints' | 'stepsPerRun'> & { stepsPerRun: number },
  store: CheckpointStore,
  checkpointEvery: number,
): Promise<FitResult> {
  const { task, items, validation, variables, seed, signal, onEvent } = options;
  const { epochs, patience, stepsPerRun } = settings;
  const rng = createRng(seed);
  const lengths = items.map((item) => task.lengths(item));
  const perEpoch = stepsPerEpoch(items.length, settings);
  const totalSteps = perEpoch * epochs;
  const identity = digestOf([options.identity, seed, settings, validation?.metric, items.length]);
  const tellLost = (checkpoint: string, problem: string) => onEvent?.({ type: 'checkpoint-lost', checkpoint, problem });
  const position: FitPosition = (await store.restore(identity, variables, tellLost)) ?? {
    identity,
    step: 0,
    epoch: 0,
    step_in_epoch: 0,
    loss_sum: 0,
    weight_sum: 0,
    history: [],
    best_epoch: 0,
  };
  const trainer = new Trainer({ ...settings, task, variables, rng: rng.fork('weights'), like: items[0]! });
  const speed = createSpeedometer(options.now, position.step, totalSteps);
  let saved = position.step;
  const save = async () => {
    await store.save(position, variables, trainer.stateNames);
    saved = position.step;
  };

  try {
    while (position.epoch < epochs && !isOutOfPatience(position, patience)) {
      const plan = planEpoch(lengths, { ...settings, rng: rng.fork('order').fork(position.epoch) });
      while (position.step_in_epoch < plan.length) {
        throwIfAborted(signal);
        await makeRun(plan);
        if (position.step % checkpointEvery === 0) await save();
        await nextTurn(); // lets signals and timers in: a run of the official binding holds the event loop
      }
      await endEpoch();
    }
  } catch (error) {
    // Only then do weights and position belong together: a run that failed may have made some of its steps.
    if (RedefError.isInstance(error) && error.code === 'aborted' && position.step > saved) await save();
    throw error;
  } finally {
    await trainer.close();
  }
  const { best_epoch, history } = position;
  if (best_epoch > 0) await store.loadBest(variables);
  await options.save?.();
  await store.clear();
  return { epochs: history, bestEpoch: best_epoch || history.length, selectedByValidation: best_epoch > 0 };

  /** The rest of the run that the position is in, up to the next checkpoint. */
  async function makeRun(plan: EpochPlan): Promise<void> {
    const from = position.step_in_epoch;
    const start = from - (from % stepsPerRun);
    const whole = plan.slice(start, start + stepsPerRun);
    const count = Math.min(whole.length - (from - start), checkpointEvery - (position.step % checkpointEvery));
    const itemsOf = (indices: readonly number[]) => indices.map((index) => items[index]!);
    const shape = stepsPerRun > 1 ? trainer.shapeOf(itemsOf(whole.flat(2))) : undefined; // the same wherever it is resumed
    const steps = plan.slice(from, from + count).map((batches, index) => {
      const step = position.step + 1 + index;
      const learningRate = learningRateAt(step, totalSteps, settings);
      return { step, learningRate, seed: `${seed}/${step}`, batches: batches.map(itemsOf) };
    });
    let made = 0;
    for await (const result of trainer.run(steps, shape)) {
      const { step, learningRate, batches } = steps[made++]!;
      const weight = batches.flat().reduce((sum, item) => sum + task.weight(item), 0);
      position.step = step;
      position.step_in_epoch++;
      position.loss_sum += result.loss * weight;
      position.weight_sum += weight;
      onEvent?.({
        type: 'progress',
        stage: 'train',
        done: step,
        total: totalSteps,
        unit: 'steps',
        epoch: position.epoch + 1,
        learningRate,
        ...result,
        ...speed(step, result.tokens),
      });
    }
  }

  async function endEpoch(): Promise<void> {
    const measured = await validation?.measure(variables, signal ? { signal } : {});
    throwIfAborted(signal);
    const epoch: FitEpoch = {
      epoch: position.epoch + 1,
      trainLoss: position.loss_sum / position.weight_sum,
      validation: measured !== undefined && measured !== null && Number.isFinite(measured) ? measured : null,
    };
    if (validation && isBetter(epoch, position, validation)) {
      await store.saveBest(variables, trainer.parameterNames);
      position.best_epoch = epoch.epoch;
    }
    position.history.push(epoch);
    Object.assign(position, { epoch: epoch.epoch, step_in_epoch: 0, loss_sum: 0, weight_sum: 0 });
    await save();
    onEvent?.({ type: 'epoch', ...epoch, step: position.step, ...(validation && { metric: validation.metric }) });
  }
}

function isBetter(
  { validation: value }: FitEpoch,
  { best_epoch, history }: FitPosition,
  { higherIsBetter }: Validation,
): boolean {
  if (value === null) return false;
  const best = best_epoch === 0 ? null : history[best_epoch - 1]!.validation;
  return best === null || (higherIsBetter ? value > best : value < best);
}

/** Counted only once validation has chosen an epoch: without, there is nothing to wait for. */
function isOutOfPatience({ epoch, best_epoch }: FitPosition, patience: number): boolean {
  return best_epoch > 0 && epoch - best_epoch >= patience;
}

type Speed = Pick<StepEvent, 'tokensPerSecond' | 'secondsLeft'>;

function createSpeedometer(
  now: (() => number) | undefined,
  firstStep: number,
  totalSteps: number,
): (step: number, tokens: number) => Speed {
  if (!now) return () => ({});
  const start = now();
  let tokensDone = 0;
  return (step, tokens) => {
    tokensDone += tokens;
    const seconds = (now() - start) / 1000;
    if (!(seconds > 0)) return {};
    return {
      tokensPerSecond: tokensDone / seconds,
      secondsLeft: ((totalSteps - step) * seconds) / (step - firstStep),
    };
  };
}

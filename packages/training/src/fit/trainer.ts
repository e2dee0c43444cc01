import { adamW, type Feeds, Session, type Step, type Variables } from '@redef/autodiff';
import { RedefError, type Rng } from '@redef/core';
import { outOfMemory } from './out-of-memory.js';
import {
  partInputs,
  partOfStep,
  partWithUpdate,
  type StepGraph,
  type StepRules,
  updateOfSums,
  wholeStep,
} from './step-graph.js';
import type { BatchShape, Task } from './task.js';

export interface TrainerOptions<Item> {
  task: Task<Item>;
  variables: Variables;
  batchSize: number;
  accumulation: number;
  weightDecay: number;
  clipNorm: number;
  /** Where first values of what `variables` lacks come from. */
  rng: Rng;
  /** Any item, to see what parameters the task has. */
  like: Item;
}

/** A step to make. */
export interface StepPlan<Item> {
  /** 1 for the first. */
  step: number;
  learningRate: number;
  /** Of dropout. */
  seed: string;
  batches: readonly (readonly Item[])[];
}

export interface StepResult {
  /** Mean over the items of the step by their weights, before the update. */
  loss: number;
  /** Joint norm of the gradients before they were clipped. Not finite in half precision alone: the step then changed no weight. */
  gradientNorm: number;
  /** Tokens of the items, padding not counted. */
  tokens: number;
}

/** Steps in a row whose scaled gradients may overflow: the scale has then come down from 65,536 to 1/16. */
const mostOverflows = 20;

/**
 * Makes the steps of a fit loop: one session for each shape of batch, all on the same variables. A step of one batch is
 * one run. A step of several is a run for each, which adds its share of the gradients up, and a last one that updates.
 *
 * Where the device keeps variables within a run alone, several steps are one run, and the last batch of a step updates.
 */
export class Trainer<Item> {
  readonly #sessions = new Map<string, Session<string>>();
  #update: Session<string> | undefined;
  readonly #rules: StepRules;
  #overflows = 0;
  /** The weights that are trained. */
  readonly parameterNames: readonly string[];
  /** These, the optimizer's moments and the scale of the loss: all that steps change. */
  readonly stateNames: readonly string[];

  constructor(private readonly options: TrainerOptions<Item>) {
    const { task, like, weightDecay, clipNorm, variables } = options;
    const network = task.build(this.shapeOf([like]));
    const { parameters } = network;
    const matrices = new Set(parameters.filter(({ shape }) => shape.length > 1).map(({ name }) => name));
    const optimizer = adamW({ weightDecay, decays: (name) => matrices.has(name) });
    this.#rules = { optimizer, clipNorm, scalesLoss: variables.driver.precision === 'float16' };
    this.parameterNames = parameters.map(({ name }) => name);
    this.stateNames = wholeStep(network, this.#rules).updates.map(({ variable }) => variable.name); // never run
  }

  /** The shape that a batch of these items is padded to. */
  shapeOf(items: readonly Item[]): BatchShape {
    const { task, batchSize } = this.options;
    const lengths = items.map((item) => task.lengths(item));
    const longest = lengths[0]!.map((_, axis) => Math.max(...lengths.map((sizes) => sizes[axis]!)));
    return { rows: batchSize, lengths: task.pad(longest) };
  }

  /**
   * Makes the steps and gives the result of each.
   *
   * @param shape to which all their batches are padded; absent: each batch to its own
   * @throws `RedefError` `non-finite-loss`, `out-of-memory` and what sessions throw
   */
  async *run(steps: readonly StepPlan<Item>[], shape?: BatchShape): AsyncGenerator<StepResult, void, undefined> {
    const { variables, accumulation } = this.options;
    if (variables.driver.loopsSteps) {
      yield* this.#runTogether(steps, shape ?? this.shapeOf(steps.flatMap(({ batches }) => batches.flat())));
      return;
    }
    for (const step of steps) {
      if (accumulation === 1) yield* this.#runTogether([step], shape ?? this.shapeOf(step.batches[0]!));
      else yield await this.#runInParts(step, shape);
    }
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await session.close();
    await this.#update?.close();
  }

  /** Makes all steps in one run, then tells of each. */
  async *#runTogether(
    steps: readonly StepPlan<Item>[],
    shape: BatchShape,
  ): AsyncGenerator<StepResult, void, undefined> {
    const items = steps.flatMap(({ batches }) => batches.flat());
    const build = this.options.accumulation === 1 ? wholeStep : partWithUpdate;
    const outputs = await this.#guard(items, shape, steps, async () => {
      const session = await this.#session(shape, build);
      return session.runSteps(steps.flatMap((step) => this.#parts(step, () => shape)));
    });
    for (const step of steps) {
      const parts = outputs.splice(0, step.batches.length);
      const losses = parts.map(({ loss }) => Number(loss![0]));
      yield this.#result(step, losses, Number(parts.at(-1)!.norm![0]));
    }
  }

  async #runInParts(step: StepPlan<Item>, common: BatchShape | undefined): Promise<StepResult> {
    const shapes = step.batches.map((items) => common ?? this.shapeOf(items));
    const losses: number[] = [];
    for (const [index, part] of this.#parts(step, (index) => shapes[index]!).entries()) {
      const shape = shapes[index]!;
      const { loss } = await this.#guard(step.batches[index]!, shape, [step], async () => {
        const session = await this.#session(shape, partOfStep);
        return session.run(part.feeds, { seed: part.seed! });
      });
      losses.push(Number(loss![0]));
    }
    this.#update ??= await this.#create(updateOfSums(this.#network(shapes[0]!).parameters, this.#rules));
    const { norm } = await this.#update.run(this.#rules.optimizer.feeds(step.step, step.learningRate));
    return this.#result(step, losses, Number(norm![0]));
  }

  /** What each batch of a step is fed. */
  #parts({ step, learningRate, seed, batches }: StepPlan<Item>, shapeOf: (index: number) => BatchShape): Step[] {
    const { task, accumulation } = this.options;
    const weights = batches.map((items) => total(items.map((item) => task.weight(item))));
    const ofOptimizer = this.#rules.optimizer.feeds(step, learningRate);
    return batches.map((items, index) => {
      const data: Feeds = { ...task.feeds(items, shapeOf(index)), ...ofOptimizer };
      if (accumulation === 1) return { feeds: data, seed };
      const part = {
        [partInputs.share]: weights[index]! / total(weights),
        [partInputs.keep]: index === 0 ? 0 : 1,
        [partInputs.isLast]: index === batches.length - 1 ? 1 : 0,
      };
      return { feeds: { ...data, ...part }, seed: `${seed}/${index}` };
    });
  }

  #network(shape: BatchShape) {
    return this.options.task.build(shape);
  }

  #create(graph: StepGraph): Promise<Session<string>> {
    const { variables, rng } = this.options;
    return Session.create({ ...graph, variables, rng });
  }

  async #session(
    shape: BatchShape,
    build: (network: ReturnType<Task<Item>['build']>, rules: StepRules) => StepGraph,
  ): Promise<Session<string>> {
    const key = shape.lengths.join('x');
    const session = this.#sessions.get(key) ?? (await this.#create(build(this.#network(shape), this.#rules)));
    this.#sessions.set(key, session);
    return session;
  }

  /** Names steps, batch and length where memory runs out. */
  async #guard<T>(
    items: readonly Item[],
    shape: BatchShape,
    steps: readonly StepPlan<Item>[],
    run: () => Promise<T>,
  ): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const [from, to] = [steps[0]!.step, steps.at(-1)!.step];
      const which = from === to ? `step ${from} (${this.#idsOf(items)})` : `steps ${from} to ${to} in one run`;
      throw outOfMemory(error, which, shape);
    }
  }

  /** Adds the parts up; a part or a norm that is no number ends the training. */
  #result({ step, learningRate, batches }: StepPlan<Item>, losses: readonly number[], norm: number): StepResult {
    const refuse = (what: string, value: number, items: readonly Item[]) => {
      throw new RedefError(
        `The ${what} is ${value} at step ${step}, learning rate ${learningRate}, batch ${this.#idsOf(items)}`,
        {
          code: 'non-finite-loss',
          remedy:
            'Lower the learning rate or lengthen the warm-up; if it happens at the first steps, look at these inputs.',
        },
      );
    };
    for (const [index, loss] of losses.entries()) if (!Number.isFinite(loss)) refuse('loss', loss, batches[index]!);
    this.#overflows = Number.isFinite(norm) ? 0 : this.#overflows + 1;
    if (this.#overflows > (this.#rules.scalesLoss ? mostOverflows : 0)) {
      refuse('norm of the gradients', norm, batches.flat());
    }
    const tokens = total(batches.flat().map((item) => total(this.options.task.lengths(item))));
    return { loss: total(losses), gradientNorm: norm, tokens };
  }

  #idsOf(items: readonly Item[]): string {
    return items.map((item) => this.options.task.idOf(item)).join(', ');
  }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

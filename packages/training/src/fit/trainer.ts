import {
  adamW,
  add,
  clipByGlobalNorm,
  Graph,
  gradients,
  multiply,
  type Optimizer,
  Session,
  type SessionOptions,
  type Tensor,
  type Variables,
} from '@redef/autodiff';
import { RedefError, type Rng } from '@redef/core';
import { outOfMemory } from './out-of-memory.js';
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

export interface StepOptions {
  /** 1 for the first. */
  step: number;
  learningRate: number;
  /** Of dropout. */
  seed: string;
}

export interface StepResult {
  /** Mean over the items of the step by their weights, before the update. */
  loss: number;
  /** Joint norm of the gradients before they were clipped. */
  gradientNorm: number;
  /** Tokens of the items, padding not counted. */
  tokens: number;
}

/** Numbers that a run of accumulation is fed. */
const shareInput = 'fit.share';
const keepInput = 'fit.keep';

/**
 * Makes the steps of a fit loop: one session for each shape of batch, all on the same variables. A step of one batch is
 * one run. A step of several is a run for each, which adds its share of the gradients up, and a last one that updates.
 */
export class Trainer<Item> {
  readonly #sessions = new Map<string, Session<string>>();
  #update: Session<string> | undefined;
  readonly #optimizer: Optimizer;
  /** The weights that are trained. */
  readonly parameterNames: readonly string[];
  /** These and the optimizer's moments: all that steps change. */
  readonly stateNames: readonly string[];

  constructor(private readonly options: TrainerOptions<Item>) {
    const { task, like, weightDecay } = options;
    const { parameters } = task.build(this.#shapeOf([like]));
    const matrices = new Set(parameters.filter(({ shape }) => shape.length > 1).map(({ name }) => name));
    this.#optimizer = adamW({ weightDecay, decays: (name) => matrices.has(name) });
    this.parameterNames = parameters.map(({ name }) => name);
    this.stateNames = this.#optimizer.update(parameters, parameters).map(({ variable }) => variable.name); // never run
  }

  /** @throws `RedefError` `non-finite-loss`, `out-of-memory` and what sessions throw */
  async step(batches: readonly (readonly Item[])[], options: StepOptions): Promise<StepResult> {
    const { task, accumulation } = this.options;
    const tokens = batches.flat().reduce((sum, item) => sum + total(task.lengths(item)), 0);
    const result =
      accumulation === 1 ? await this.#stepAtOnce(batches[0]!, options) : await this.#stepInParts(batches, options);
    return { ...result, tokens };
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await session.close();
    await this.#update?.close();
  }

  async #stepAtOnce(items: readonly Item[], { step, learningRate, seed }: StepOptions) {
    const { task } = this.options;
    const shape = this.#shapeOf(items);
    return this.#guard(items, shape, step, async () => {
      const session = await this.#session(shape, () => this.#buildAtOnce(shape));
      const feeds = { ...task.feeds(items, shape), ...this.#optimizer.feeds(step, learningRate) };
      const { loss, norm } = await session.run(feeds, { seed });
      return this.#finite(items, { loss: Number(loss![0]), gradientNorm: Number(norm![0]) }, step, learningRate);
    });
  }

  async #stepInParts(batches: readonly (readonly Item[])[], { step, learningRate, seed }: StepOptions) {
    const { task } = this.options;
    const weightOf = (items: readonly Item[]) => total(items.map((item) => task.weight(item)));
    const totalWeight = total(batches.map(weightOf));
    let loss = 0;
    for (const [index, items] of batches.entries()) {
      const shape = this.#shapeOf(items);
      const part = await this.#guard(items, shape, step, async () => {
        const session = await this.#session(shape, () => this.#buildPart(shape));
        const feeds = {
          ...task.feeds(items, shape),
          [shareInput]: weightOf(items) / totalWeight,
          [keepInput]: index === 0 ? 0 : 1,
        };
        return Number((await session.run(feeds, { seed: `${seed}/${index}` })).loss![0]);
      });
      this.#finite(items, { loss: part, gradientNorm: 0 }, step, learningRate);
      loss += part;
    }
    const { norm } = await this.#update!.run(this.#optimizer.feeds(step, learningRate));
    return this.#finite(batches.flat(), { loss, gradientNorm: Number(norm![0]) }, step, learningRate);
  }

  /** Forward, backward, clipping and update in one graph. */
  async #buildAtOnce(shape: BatchShape): Promise<Session<string>> {
    const { loss, parameters } = this.options.task.build(shape);
    const { updates, norm } = this.#updates(parameters, gradients(loss, parameters));
    return this.#create({ outputs: { loss, norm }, updates });
  }

  /** Forward and backward; the gradients are added to sums. */
  async #buildPart(shape: BatchShape): Promise<Session<string>> {
    const { loss: mean, parameters } = this.options.task.build(shape);
    const { graph } = mean;
    const loss = multiply(mean, graph.input(shareInput, []));
    const keep = graph.input(keepInput, []);
    const updates = gradients(loss, parameters).map((gradient, index) => {
      const sum = sumOf(graph, parameters[index]!);
      return { variable: sum, next: add(multiply(sum, keep), gradient) };
    });
    this.#update ??= await this.#buildUpdate(parameters, graph);
    return this.#create({ outputs: { loss }, updates });
  }

  /** Clipping and update from the sums. */
  async #buildUpdate(parameters: readonly Tensor[], { float }: Graph): Promise<Session<string>> {
    const graph = new Graph({ float });
    const same = parameters.map((parameter) => {
      const source = parameter.graph.sourceOf(parameter);
      return graph.parameter(
        parameter.name,
        parameter.shape,
        source.kind === 'variable' ? source.initialize : undefined,
      );
    });
    const { updates, norm } = this.#updates(
      same,
      same.map((parameter) => sumOf(graph, parameter)),
    );
    return this.#create({ outputs: { norm }, updates });
  }

  #updates(parameters: readonly Tensor[], derivatives: readonly Tensor[]) {
    const { gradients: clipped, norm } = clipByGlobalNorm(derivatives, this.options.clipNorm);
    return { updates: this.#optimizer.update(parameters, clipped), norm };
  }

  #create(graph: Pick<SessionOptions<string>, 'outputs' | 'updates'>): Promise<Session<string>> {
    const { variables, rng } = this.options;
    return Session.create({ ...graph, variables, rng });
  }

  async #session(shape: BatchShape, build: () => Promise<Session<string>>): Promise<Session<string>> {
    const key = shape.lengths.join('x');
    const session = this.#sessions.get(key) ?? (await build());
    this.#sessions.set(key, session);
    return session;
  }

  #shapeOf(items: readonly Item[]): BatchShape {
    const { task, batchSize } = this.options;
    const lengths = items.map((item) => task.lengths(item));
    const longest = lengths[0]!.map((_, axis) => Math.max(...lengths.map((sizes) => sizes[axis]!)));
    return { rows: batchSize, lengths: task.pad(longest) };
  }

  /** Names step, batch and length where memory runs out. */
  async #guard<T>(items: readonly Item[], shape: BatchShape, step: number, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw outOfMemory(error, `step ${step} (${this.#idsOf(items)})`, shape);
    }
  }

  #finite<T extends { loss: number; gradientNorm: number }>(
    items: readonly Item[],
    result: T,
    step: number,
    learningRate: number,
  ): T {
    if (Number.isFinite(result.loss) && Number.isFinite(result.gradientNorm)) return result;
    const what = Number.isFinite(result.loss) ? 'norm of the gradients' : 'loss';
    const value = Number.isFinite(result.loss) ? result.gradientNorm : result.loss;
    throw new RedefError(
      `The ${what} is ${value} at step ${step}, learning rate ${learningRate}, batch ${this.#idsOf(items)}`,
      {
        code: 'non-finite-loss',
        remedy:
          'Lower the learning rate or lengthen the warm-up; if it happens at the first steps, look at these inputs.',
      },
    );
  }

  #idsOf(items: readonly Item[]): string {
    return items.map((item) => this.options.task.idOf(item)).join(', ');
  }
}

function sumOf(graph: Graph, { name, shape }: Tensor): Tensor {
  return graph.state(`sum/${name}`, shape);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

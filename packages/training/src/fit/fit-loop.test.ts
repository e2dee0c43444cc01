import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOnnxRuntimeDriver, multiply, Variables } from '@redef/autodiff';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Bag, bags, bagTask } from '../../test/tiny-task.js';
import { type FitEvent, type FitLoopOptions, fitLoop, type StepEvent } from './fit-loop.js';

const actual = await vi.importActual<typeof import('node:fs/promises')>('node:fs/promises');
vi.mock('node:fs/promises', async (original) => {
  const whole = await original<typeof import('node:fs/promises')>();
  return { ...whole, rm: vi.fn(whole.rm) };
});

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-fit-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const items = bags('items', 50);
const settings = { epochs: 3, batchSize: 4, learningRate: 0.05, checkpointEvery: 6 };

function job(options: Partial<FitLoopOptions<Bag>> = {}): FitLoopOptions<Bag> {
  return {
    task: bagTask(),
    items,
    variables: new Variables(createOnnxRuntimeDriver({ threads: 1 })),
    folder: mkdtempSync(join(root, 'run-')),
    identity: 'bags',
    seed: 7,
    settings,
    ...options,
  };
}

async function weightsOf({ variables }: FitLoopOptions<Bag>): Promise<Record<string, number[]>> {
  const weights: Record<string, number[]> = {};
  for (const name of ['table', 'weight', 'bias']) weights[name] = [...((await variables.read(name)) as Float32Array)];
  return weights;
}

async function fit(options: Partial<FitLoopOptions<Bag>> = {}) {
  const whole = job(options);
  const result = await fitLoop(whole);
  return { ...result, weights: await weightsOf(whole), folder: whole.folder };
}

test('the loss falls, and equal seeds give equal bits', async () => {
  const first = await fit();
  expect(first.epochs.at(-1)!.trainLoss).toBeLessThan(first.epochs[0]!.trainLoss * 0.8);
  expect(first).toMatchObject({ bestEpoch: 3, selectedByValidation: false });
  expect((await fit()).weights).toEqual(first.weights);
  expect((await fit({ seed: 8 })).weights).not.toEqual(first.weights);
  expect(readdirSync(first.folder)).toEqual([]);
});

test('stopped at any step and started again, it ends with the bits of an undisturbed run', async () => {
  const undisturbed = await fit();
  for (const stopAt of [1, 13, 38]) {
    const folder = mkdtempSync(join(root, 'stopped-'));
    const stop = new AbortController();
    const onEvent = (event: FitEvent) => event.type === 'progress' && event.done === stopAt && stop.abort();
    await expect(fit({ folder, signal: stop.signal, onEvent })).rejects.toMatchObject({ code: 'aborted' });
    const steps: number[] = [];
    const rarely = { ...settings, checkpointEvery: 100, keepCheckpoints: 1 }; // when to save does not change the job
    const resumed = await fit({
      folder,
      settings: rarely,
      onEvent: (event) => event.type === 'progress' && steps.push(event.done),
    });
    expect(steps[0]).toBe(stopAt + 1); // it was saved on the way out
    expect(resumed).toMatchObject({ weights: undisturbed.weights, epochs: undisturbed.epochs });
  }
});

test('the model is saved before the checkpoints go, and a failure there costs no training', async () => {
  const folder = mkdtempSync(join(root, 'saved-'));
  const steps: number[] = [];
  const save = async () => {
    expect(readdirSync(join(folder, 'checkpoints')).length).toBeGreaterThan(0);
    if (steps.length > 0) throw new Error('no space left');
  };
  const onEvent = (event: FitEvent) => event.type === 'progress' && steps.push(event.done);
  await expect(fit({ folder, save, onEvent })).rejects.toThrow('no space left');
  steps.length = 0;
  const again = await fit({ folder, save, onEvent });
  expect(steps).toEqual([]); // nothing was left to train
  expect(again).toMatchObject({ bestEpoch: 3, weights: (await fit()).weights });
  expect(readdirSync(folder)).toEqual([]);
});

const perfect = { metric: 'made-up', higherIsBetter: true, measure: async () => 1 };

test('a kill at any moment of clearing up leaves what can be gone on from', async () => {
  const folder = mkdtempSync(join(root, 'cleared-'));
  const states: string[] = [];
  const checkpoints = join(folder, 'checkpoints');
  const save = async () => {
    // What the folder looks like after each removal: a copy is a kill at that moment.
    vi.mocked(rm).mockImplementation(async (path, options) => {
      if (existsSync(checkpoints)) {
        states.push(mkdtempSync(join(root, 'killed-')));
        cpSync(checkpoints, join(states.at(-1)!, 'checkpoints'), { recursive: true });
      }
      return actual.rm(path, options);
    });
  };
  const finished = await fit({ folder, save, validation: perfect });
  vi.mocked(rm).mockImplementation(actual.rm);
  expect(states.length).toBeGreaterThan(4);
  for (const state of states) {
    const events: FitEvent[] = [];
    const again = await fit({ folder: state, validation: perfect, onEvent: (event) => events.push(event) });
    expect(again).toMatchObject({ weights: finished.weights, epochs: finished.epochs, bestEpoch: 1 });
    expect(events.filter(({ type }) => type === 'checkpoint-lost')).toEqual([]);
  }
});

test.each([
  ['missing', (path: string) => rmSync(path)],
  ['cut off', (path: string) => truncateSync(path, 100)],
])('checkpoints whose best weights are %s are told and passed over', async (_name, spoil) => {
  const stopped = async (stopAt: number, keepCheckpoints: number) => {
    const folder = mkdtempSync(join(root, 'no-best-'));
    const stop = new AbortController();
    const run = fit({
      folder,
      validation: perfect,
      settings: { ...settings, keepCheckpoints },
      signal: stop.signal,
      onEvent: (event) => event.type === 'progress' && event.done === stopAt && stop.abort(),
    });
    await expect(run).rejects.toMatchObject({ code: 'aborted' });
    spoil(join(folder, 'checkpoints', 'best.safetensors'));
    const events: FitEvent[] = [];
    const again = await fit({ folder, validation: perfect, onEvent: (event) => events.push(event) });
    expect(again.weights).toEqual((await fit({ validation: perfect })).weights);
    return {
      lost: events.flatMap((event) => (event.type === 'checkpoint-lost' ? `${event.checkpoint} ${event.problem}` : [])),
      firstStep: events.find((event) => event.type === 'progress')!.done,
    };
  };
  // 13 steps an epoch: the checkpoint of step 12 is of before there was a best epoch.
  const { lost, firstStep } = await stopped(14, 3);
  expect(lost).toEqual(
    ['step-00000014-epoch-0001', 'step-00000013-epoch-0001'].map(
      (name) => `${name} best.safetensors, the weights of epoch 1, is missing or damaged`,
    ),
  );
  expect(firstStep).toBe(13);
  expect(await stopped(30, 2)).toMatchObject({ lost: { length: 2 }, firstStep: 1 });
});

test('two runs in one folder do not mix', async () => {
  const folder = mkdtempSync(join(root, 'shared-'));
  const runs = await Promise.allSettled([fit({ folder }), fit({ folder })]);
  expect(runs.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(runs.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'in-use' } });
});

test('the best epoch is the one that validation chose, in either direction, and its weights are kept', async () => {
  for (const higherIsBetter of [true, false]) {
    const values = higherIsBetter ? [0.1, 0.9, 0.2] : [0.9, 0.1, 0.2];
    const measured: number[][] = [];
    const measure = async (variables: Variables) => {
      measured.push([...((await variables.read('bias')) as Float32Array)]);
      return values[measured.length - 1]!;
    };
    const result = await fit({ validation: { metric: 'made-up', higherIsBetter, measure } });
    expect(result).toMatchObject({ bestEpoch: 2, selectedByValidation: true });
    expect(result.weights.bias).toEqual(measured[1]);
    expect(result.weights.bias).not.toEqual(measured[2]);
  }
  await expect(fit({ items: [] })).rejects.toMatchObject({ code: 'empty-training-set' });
});

test('a damaged checkpoint is passed over for the one before; one of another job is not continued', async () => {
  const undisturbed = await fit();
  const stopped = async (folder: string) => {
    const stop = new AbortController();
    const onEvent = (event: FitEvent) => event.type === 'progress' && event.done === 8 && stop.abort();
    await expect(fit({ folder, signal: stop.signal, onEvent })).rejects.toMatchObject({ code: 'aborted' });
    return readdirSync(join(folder, 'checkpoints')).filter((name) => name.endsWith('.safetensors'));
  };
  const firstStep = async (options: Partial<FitLoopOptions<Bag>>) => {
    const steps: number[] = [];
    const run = await fit({ ...options, onEvent: (event) => event.type === 'progress' && steps.push(event.done) });
    return { step: steps[0], run };
  };
  const damaged = mkdtempSync(join(root, 'damaged-'));
  const names = await stopped(damaged);
  expect(names.map((name) => Number(/step-(\d+)/.exec(name)![1]))).toEqual([6, 8]); // the last two
  truncateSync(join(damaged, 'checkpoints', names[1]!), 100);
  const { step, run } = await firstStep({ folder: damaged });
  expect(step).toBe(7);
  expect(run.weights).toEqual(undisturbed.weights);

  const other = mkdtempSync(join(root, 'other-'));
  await stopped(other);
  expect((await firstStep({ folder: other, identity: 'other bags' })).step).toBe(1);
});

test('gradient accumulation makes the steps of the large batch, class weights and a last smaller batch included', async () => {
  const task = bagTask({ dropoutRate: 0, positiveWeight: 3 });
  const whole: StepEvent[] = [];
  const parts: StepEvent[] = [];
  // Each epoch is one step of all items: the order of the batches does not matter then.
  const large = await fit({
    task,
    settings: { ...settings, epochs: 20, batchSize: 64 },
    onEvent: (e) => e.type === 'progress' && whole.push(e),
  });
  const accumulated = await fit({
    task,
    settings: { ...settings, epochs: 20, batchSize: 8, accumulation: 8 },
    onEvent: (e) => e.type === 'progress' && parts.push(e),
  });
  expect(parts).toHaveLength(20);
  for (const [index, { loss, gradientNorm }] of parts.entries()) {
    expect(Math.abs(loss - whole[index]!.loss)).toBeLessThan(1e-5);
    expect(Math.abs(gradientNorm - whole[index]!.gradientNorm)).toBeLessThan(1e-5);
  }
  for (const [name, values] of Object.entries(large.weights)) {
    for (const [index, value] of values.entries())
      expect(Math.abs(accumulated.weights[name]![index]! - value)).toBeLessThan(1e-4);
  }
});

// Steps looped inside the graph, as for CUDA and DirectML; on the CPU, where they must not change a bit.
const looping = () => new Variables({ ...createOnnxRuntimeDriver({ threads: 1 }), loopsSteps: true });

test.each([
  { accumulation: 1, stepsPerRun: 4 },
  { accumulation: 2, stepsPerRun: 3 },
])('steps looped inside the graph have the bits of single ones: %j', async (options) => {
  const events: FitEvent[][] = [[], []];
  const run = (index: number, variables: Variables) =>
    fit({ variables, settings: { ...settings, ...options }, onEvent: (event) => events[index]!.push(event) });
  const single = await run(0, new Variables(createOnnxRuntimeDriver({ threads: 1 })));
  const looped = await run(1, looping());
  expect(looped.weights).toEqual(single.weights);
  expect(looped.epochs).toEqual(single.epochs);
  expect(events[1]).toEqual(events[0]);
});

test('by default a device that loops makes 8 batches in a run', async () => {
  const once = await fit({ variables: looping() });
  expect(once.weights).toEqual((await fit({ settings: { ...settings, stepsPerRun: 8 } })).weights);
  expect(once.weights).not.toEqual((await fit()).weights); // batches of a run are neighbours in length
});

test('a looped training goes on from any checkpoint, stops between runs, and ends with the same bits', async () => {
  const every = { ...settings, stepsPerRun: 4, checkpointEvery: 3 }; // no multiple of a run
  const undisturbed = await fit({ variables: looping(), settings: every });
  const folder = mkdtempSync(join(root, 'looped-'));
  const steps: number[] = [];
  const stop = new AbortController();
  const onEvent = (event: FitEvent) => {
    if (event.type !== 'progress') return;
    steps.push(event.done);
    if (event.done === 7) stop.abort();
  };
  const stopped = fit({ variables: looping(), settings: every, folder, signal: stop.signal, onEvent });
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  const last = steps.at(-1)!;
  expect(last).toBeLessThanOrEqual(8);
  const resumed = await fit({ variables: looping(), settings: { ...every, checkpointEvery: 100 }, folder, onEvent });
  expect(steps).toEqual(Array.from({ length: 39 }, (_, index) => index + 1)); // none twice
  expect(resumed.weights).toEqual(undisturbed.weights);
  expect(resumed.epochs).toEqual(undisturbed.epochs);
});

test('a looped loss that is no number is told with its own step, after the steps before it', async () => {
  const done: number[] = [];
  const failure = fit({
    variables: looping(),
    settings: { ...settings, learningRate: 1e38, schedule: 'constant', stepsPerRun: 8 },
    onEvent: (event) => event.type === 'progress' && done.push(event.done),
  });
  await expect(failure).rejects.toMatchObject({ code: 'non-finite-loss' });
  const { message } = await failure.catch((error) => error);
  expect(message).toContain(`at step ${done.length + 1},`);
});

// On the CPU ONNX Runtime computes in single precision and rounds to half: slow, but the same graph.
const halved = () => new Variables(createOnnxRuntimeDriver({ threads: 1, precision: 'float16' }));

test.each([1, 2])(
  'in half precision, losses are within 0.01 of those of single: accumulation %i',
  async (accumulation) => {
    const run = async (variables: Variables) => {
      const steps: StepEvent[] = [];
      const result = await fit({
        variables,
        settings: { ...settings, accumulation },
        onEvent: (event) => event.type === 'progress' && steps.push(event),
      });
      return { steps, result };
    };
    const single = await run(new Variables(createOnnxRuntimeDriver({ threads: 1 })));
    const half = await run(halved());
    for (const [index, { loss, gradientNorm }] of half.steps.entries()) {
      expect(Math.abs(loss - single.steps[index]!.loss)).toBeLessThan(1e-2);
      expect(Math.abs(gradientNorm - single.steps[index]!.gradientNorm)).toBeLessThan(1e-2 * Math.max(1, gradientNorm));
    }
    expect(half.result.weights).not.toEqual(single.result.weights);
  },
);

test('a step that overflows half precision changes nothing, the scale of the loss comes down, and both survive a stop', async () => {
  const plain = bagTask();
  const task: typeof plain = {
    ...plain,
    build: (shape) => {
      const { loss, parameters } = plain.build(shape);
      return { loss: multiply(loss, 50), parameters }; // clipped to the same gradients, but for the digits
    },
  };
  const every = { ...settings, checkpointEvery: 1, warmUp: 0 };
  const norms: number[] = [];
  const variables = halved();
  const undisturbed = await fit({
    task,
    variables,
    settings: every,
    onEvent: (event) => {
      if (event.type === 'progress') norms.push(event.gradientNorm);
    },
  });
  const overflows = norms.findIndex(Number.isFinite);
  expect(overflows).toBeGreaterThan(2);
  expect(norms.slice(overflows).filter(Number.isFinite).length).toBeGreaterThan(30);
  expect(undisturbed.epochs.at(-1)!.trainLoss).toBeLessThan(0.8 * undisturbed.epochs[0]!.trainLoss);

  const folder = mkdtempSync(join(root, 'half-'));
  const stop = new AbortController();
  const stopped = fit({
    task,
    variables: halved(),
    settings: every,
    folder,
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === 'progress' && event.done === overflows + 1) stop.abort();
    },
  });
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  const resumed = await fit({ task, variables: halved(), settings: every, folder });
  expect(resumed.weights).toEqual(undisturbed.weights);
});

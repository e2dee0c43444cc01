import { Graph, logSoftmax, Session, type Tensor, type Variables } from '@redef/autodiff';
import { type CachedDecoder, stepInputs } from '@redef/models';
import type { DecoderStep, StepResult } from '../decode/decoder-step.js';
import { type CacheLayout, emptyLayout, planStep } from './cache-plan.js';
import { FreeSession, type Values } from './free-session.js';

/** A batch under way: the encoder's part, the cache of keys and values, and whose they are. */
export interface Seq2SeqState {
  layout: CacheLayout;
  /** By the names of the step's inputs: keys and values of cross-attention (samples, heads, source length, size), and the bias. */
  memory: Readonly<Record<string, Values>>;
  /** Keys and values, a row of one head's size for each (sample, head, slot). */
  cache: Readonly<Record<string, Values>>;
}

export interface Seq2SeqDecoderOptions {
  /** Threads inside an op. Default: ONNX Runtime's choice, one for each physical core. */
  threads?: number;
}

/** Sources are padded to a multiple of this: each length takes an encoder graph of its own. */
const lengthStep = 32;

/**
 * A sequence-to-sequence model as the searches use it. The encoder runs once for each batch; a step computes the new
 * token of each row alone. Beams share the slots of the tokens they have in common, and the keys and values of the source, so
 * the cache is bounded by width x length and is in practice far smaller.
 */
export class Seq2SeqDecoder implements DecoderStep<Seq2SeqState> {
  readonly vocabularySize: number;
  readonly #encoders = new Map<string, Promise<Session<string>>>();

  private constructor(
    private readonly model: CachedDecoder,
    private readonly variables: Variables,
    private readonly stepSession: FreeSession,
  ) {
    this.vocabularySize = model.vocabularySize;
  }

  /** @param variables the weights: they must not change while the decoder is in use */
  static async create(
    model: CachedDecoder,
    variables: Variables,
    options: Seq2SeqDecoderOptions = {},
  ): Promise<Seq2SeqDecoder> {
    const { logits, keys, values } = model.step(stepInputs(new Graph(), model));
    const outputs = { logProbabilities: logSoftmax(logits), ...numbered('keys', keys), ...numbered('values', values) };
    return new Seq2SeqDecoder(model, variables, await FreeSession.create(outputs, variables, options));
  }

  /**
   * Runs the encoder over a batch.
   *
   * @param sources token ids, special tokens included, no padding
   * @returns the state to begin a search with
   */
  async encode(sources: readonly ArrayLike<number>[]): Promise<Seq2SeqState> {
    const { layers, heads, headSize, paddingToken } = this.model;
    const samples = sources.length;
    const longest = Math.max(1, ...sources.map(({ length }) => length));
    const length = Math.ceil(longest / lengthStep) * lengthStep;
    const ids = new Int32Array(samples * length).fill(paddingToken);
    for (const [sample, source] of sources.entries()) ids.set(Int32Array.from(source), sample * length);
    const session = await this.#encoder(samples, length);
    const results = await session.run({ ids });

    const memory: Record<string, Values> = {
      'memory.bias': { dtype: 'float32', shape: [samples, 1, 1, length], data: results.bias! },
    };
    const cache: Record<string, Values> = {};
    const empty = new Float32Array(samples * heads * headSize);
    for (const part of ['keys', 'values'] as const) {
      for (let layer = 0; layer < layers; layer++) {
        const shape = [samples, heads, length, headSize];
        memory[`memory.${part}.${layer}`] = { dtype: 'float32', shape, data: results[`${part}.${layer}`]! };
        cache[`${pastName[part]}.${layer}`] = { dtype: 'float32', shape: [samples * heads, headSize], data: empty };
      }
    }
    return { layout: emptyLayout(samples), memory, cache };
  }

  async step(state: Seq2SeqState, rows: Int32Array, tokens: Int32Array): Promise<StepResult<Seq2SeqState>> {
    const { heads, headSize, layers } = this.model;
    const plan = planStep(state.layout, rows, tokens, this.model);
    const { samples, beams, keptSlots } = plan;
    const memory = pickSamples(state.memory, state.layout.samples, samples);
    const width = keptSlots + beams;
    const int32 = (data: Int32Array, ...shape: number[]): Values => ({ dtype: 'int32', shape, data });
    const results = await this.stepSession.run({
      ...memory,
      ...state.cache,
      tokens: int32(tokens, tokens.length),
      counts: int32(plan.counts, tokens.length),
      grid: int32(plan.grid, samples.length, beams),
      places: int32(plan.places, tokens.length),
      kept: int32(plan.kept, samples.length, heads, keptSlots),
      distances: int32(plan.distances, samples.length, width),
      visible: { dtype: 'float32', shape: [samples.length, 1, beams, width], data: plan.visible },
    });
    const cache: Record<string, Values> = {};
    for (const part of ['keys', 'values'] as const) {
      for (let layer = 0; layer < layers; layer++) {
        const { data } = results[`${part}.${layer}`]!;
        const shape = [samples.length * heads * width, headSize];
        cache[`${pastName[part]}.${layer}`] = { dtype: 'float32', shape, data };
      }
    }
    const logProbabilities = results.logProbabilities!.data as Float32Array;
    return { logProbabilities, state: { layout: plan.next, memory, cache } };
  }

  /** Frees the runtime's memory; the variables stay usable. */
  async close(): Promise<void> {
    await this.stepSession.close();
    for (const session of this.#encoders.values()) await (await session).close();
    this.#encoders.clear();
  }

  #encoder(samples: number, length: number): Promise<Session<string>> {
    const shape = `${samples} x ${length}`;
    let session = this.#encoders.get(shape);
    if (!session) {
      const { keys, values, bias } = this.model.encode(new Graph().input('ids', [samples, length], 'int32'));
      const outputs = { bias, ...numbered('keys', keys), ...numbered('values', values) };
      session = Session.create<string>({ outputs, variables: this.variables });
      this.#encoders.set(shape, session);
    }
    return session;
  }
}

const pastName = { keys: 'pastKeys', values: 'pastValues' } as const;

function numbered(name: string, tensors: readonly Tensor[]): Record<string, Tensor> {
  return Object.fromEntries(tensors.map((tensor, layer) => [`${name}.${layer}`, tensor]));
}

/** The parts of some samples, along the first axis; copied only where they are not all there were. */
function pickSamples(
  memory: Seq2SeqState['memory'],
  before: number,
  samples: readonly number[],
): Seq2SeqState['memory'] {
  if (samples.length === before && samples.every((sample, index) => sample === index)) return memory;
  return Object.fromEntries(
    Object.entries(memory).map(([name, { shape, data }]) => {
      const size = data.length / before;
      const picked = new Float32Array(samples.length * size);
      for (const [index, sample] of samples.entries()) {
        picked.set((data as Float32Array).subarray(sample * size, (sample + 1) * size), index * size);
      }
      return [name, { dtype: 'float32' as const, shape: shape.with(0, samples.length), data: picked }];
    }),
  );
}

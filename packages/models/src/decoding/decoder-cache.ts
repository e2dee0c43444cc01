import { add, concat, embedding, type Graph, matmul, softmax, type Tensor, transpose } from '@redef/autodiff';

// The key-value cache of a decoder whose rows (beams, draws) share what they have in common. A *slot* holds the key and
// value of one token of one sample; a row sees the slots on its own path back to the start token and no others. Beams
// that go on from one parent see its slots without a copy, so a cache holds as many slots as the beams of a sample have
// different tokens: at most width x length, and in practice little more than length.

/** The sizes of a decoder that its cache depends on. */
export interface CacheSizes {
  layers: number;
  heads: number;
  /** Of one head. */
  headSize: number;
}

/** What the encoder leaves to the decoder. */
export interface DecoderMemory {
  /** Of cross-attention, one for each layer: (samples, heads, source length, head size). */
  keys: Tensor[];
  values: Tensor[];
  /** Hides padding: (samples, 1, 1, source length). */
  bias: Tensor;
}

/** The inputs of a step. The sizes of samples, rows, beams, slots and source length are free. */
export interface StepInputs {
  /** (rows), int32: fed to each row. */
  tokens: Tensor;
  /** (rows), int32: tokens of the row up to this one that are no padding; 0 where this one is padding. */
  counts: Tensor;
  /** (samples, beams), int32: the row at each place, any row at a place left empty. */
  grid: Tensor;
  /** (rows), int32: the place of each row, sample x beams + beam. */
  places: Tensor;
  /** (samples, heads, slots), int32: for each slot that is kept, its row in {@link StepInputs.pastKeys}. */
  kept: Tensor;
  /** (samples, slots + beams), int32: how many tokens ago each slot was fed; the last are this step's own. */
  distances: Tensor;
  /** (samples, 1, beams, slots + beams): 0 where a row sees a slot, very low elsewhere. */
  visible: Tensor;
  /** For each layer, a row for each sample, head and slot of the step before: (past, head size). */
  pastKeys: Tensor[];
  pastValues: Tensor[];
  memory: DecoderMemory;
}

export interface StepOutputs {
  /** (rows, vocabulary). */
  logits: Tensor;
  /** (samples, heads, slots + beams, head size), one for each layer: the cache of the next step. */
  keys: Tensor[];
  values: Tensor[];
}

/** A sequence-to-sequence model cut in two: what is computed once for each source, and once for each token. */
export interface CachedDecoder extends CacheSizes {
  vocabularySize: number;
  paddingToken: number;
  /** Writes the encoder and the keys and values of cross-attention. Ids: (samples, source length), int32. */
  encode(sourceIds: Tensor): DecoderMemory;
  /** Writes the step of a token. */
  step(inputs: StepInputs): StepOutputs;
}

/** Example sizes of the free axes: all different, so that ops that mix them up are refused. */
const example = { samples: 2, beams: 3, rows: 5, slots: 7, sourceLength: 11, past: 13 };

/** Declares the inputs of a step under the names of their members, those of a layer with `.` and its number. */
export function stepInputs(graph: Graph, { layers, heads, headSize }: CacheSizes): StepInputs {
  const { samples, beams, rows, slots, sourceLength, past } = example;
  const perLayer = (name: string, shape: number[], freeAxes: number[]) =>
    Array.from({ length: layers }, (_, layer) => graph.input(`${name}.${layer}`, shape, 'float32', freeAxes));
  const crossed = [samples, heads, sourceLength, headSize];
  return {
    tokens: graph.input('tokens', [rows], 'int32', [0]),
    counts: graph.input('counts', [rows], 'int32', [0]),
    grid: graph.input('grid', [samples, beams], 'int32', [0, 1]),
    places: graph.input('places', [rows], 'int32', [0]),
    kept: graph.input('kept', [samples, heads, slots], 'int32', [0, 2]),
    distances: graph.input('distances', [samples, slots + beams], 'int32', [0, 1]),
    visible: graph.input('visible', [samples, 1, beams, slots + beams], 'float32', [0, 2, 3]),
    pastKeys: perLayer('pastKeys', [past, headSize], [0]),
    pastValues: perLayer('pastValues', [past, headSize], [0]),
    memory: {
      keys: perLayer('memory.keys', crossed, [0, 2]),
      values: perLayer('memory.values', crossed, [0, 2]),
      bias: graph.input('memory.bias', [samples, 1, 1, sourceLength], 'float32', [0, 3]),
    },
  };
}

/** Reshape by a pattern of ONNX: 0 keeps the size of that axis, -1 takes what is left. `shape` is what ops check by. */
export function reshapeBy(x: Tensor, pattern: readonly number[], shape: readonly number[]): Tensor {
  return x.graph.node('Reshape', [x, x.graph.constant(pattern, [pattern.length], 'int64')], shape);
}

/** (rows, heads x size) to (samples, heads, beams, size). */
function toGrid(x: Tensor, { grid }: StepInputs, { heads, headSize }: CacheSizes): Tensor {
  const shape = [...grid.shape, heads, headSize];
  return transpose(reshapeBy(embedding(x, grid), [0, 0, heads, headSize], shape), [0, 2, 1, 3]);
}

/** (samples, heads, beams, size) to (rows, heads x size). */
function toRows(x: Tensor, { grid, places }: StepInputs, { heads, headSize }: CacheSizes): Tensor {
  const width = heads * headSize;
  const flat = reshapeBy(transpose(x, [0, 2, 1, 3]), [-1, width], [grid.shape[0]! * grid.shape[1]!, width]);
  return embedding(flat, places);
}

export interface CachedAttentionOptions {
  layer: number;
  /** Factor of the scores. */
  scale: number;
  /** Added to the scores, broadcast to (samples, heads, beams, keys). */
  bias: Tensor;
}

/** Attention of each row to its own past and to itself. Query, key and value: (rows, heads x size), as is the result. */
export function attendToPast(
  [query, key, value]: readonly [query: Tensor, key: Tensor, value: Tensor],
  inputs: StepInputs,
  sizes: CacheSizes,
  options: CachedAttentionOptions,
): { mixed: Tensor; keys: Tensor; values: Tensor } {
  const extend = (past: Tensor, own: Tensor) => concat([embedding(past, inputs.kept), toGrid(own, inputs, sizes)], 2);
  const keys = extend(inputs.pastKeys[options.layer]!, key);
  const values = extend(inputs.pastValues[options.layer]!, value);
  return { mixed: attendTo(keys, values, query, inputs, sizes, options), keys, values };
}

/** Attention of each row to its sample's source: the rows of a sample share one copy of the keys and values. */
export function attendToSource(
  query: Tensor,
  inputs: StepInputs,
  sizes: CacheSizes,
  { layer, scale }: Omit<CachedAttentionOptions, 'bias'>,
): Tensor {
  const { keys, values, bias } = inputs.memory;
  return attendTo(keys[layer]!, values[layer]!, query, inputs, sizes, { scale, bias });
}

function attendTo(
  keys: Tensor,
  values: Tensor,
  query: Tensor,
  inputs: StepInputs,
  sizes: CacheSizes,
  { scale, bias }: Omit<CachedAttentionOptions, 'layer'>,
): Tensor {
  const scores = add(matmul(toGrid(query, inputs, sizes), keys, { transposeB: true, scale }), bias);
  return toRows(matmul(softmax(scores), values), inputs, sizes);
}

import { canonicalJson } from '@redef/core';
import type { RemovalPolicy } from '@redef/dedup';
import {
  type CounterfactualName,
  counterfactualNames,
  counterfactualTraits,
  type EncodingName,
  encodingNames,
  paperEncodings,
  type TokenizerPresetName,
  tokenizerPresets,
} from '@redef/encoders';
import type { MineOptions } from '@redef/mining';
import type { Rule } from '@redef/triage';
import * as v from 'valibot';
import { paperSeeds } from '../seeds.js';
import { defaultStatistics } from '../statistics-settings.js';

// What a study file may say. Every member has a default but `repositories`; the defaults are those of ReDef, and each
// names the section that it is from, or says that it is ours.

const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const open = v.pipe(v.number(), v.gtValue(0), v.ltValue(1));
const positive = v.pipe(v.number(), v.finite('expected a finite number'), v.gtValue(0));
/** Beyond it no training of single precision comes to anything, and no history has as many changes for each defective one. */
const most = 1e6;
const bounded = v.pipe(positive, v.maxValue(most, `expected at most ${most}`));
const text = v.pipe(v.string(), v.nonEmpty('expected a text'));
const texts = () => v.pipe(v.array(text), unique());
/** What stands twice would count twice, however it is said. */
const unique = <Item>(meaning: (item: Item) => unknown = (item) => item) => {
  const again = (items: readonly Item[]) => {
    const keys = items.map((item) => canonicalJson(meaning(item)));
    return items.find((_, index) => keys.indexOf(keys[index]!) < index);
  };
  return v.check<Item[], (issue: v.CheckIssue<Item[]>) => string>(
    (items) => again(items) === undefined,
    ({ input }) => `expected no item twice, got ${JSON.stringify(again(input))} again`,
  );
};
const seed = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const encodingSchema = v.picklist(encodingNames as readonly EncodingName[]);
const counterfactualSchema = v.picklist(counterfactualNames as readonly CounterfactualName[]);

const repositorySchema = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'string' ? { source: given } : given)),
  v.strictObject({
    /** Default: the last part of the source. */
    project: v.exactOptional(text),
    /** A folder, relative to the study file, or a URL that git can clone. */
    source: text,
  }),
);

/** ReDef, section 3.1; see `MineOptions` of `@redef/mining` for each. */
const miningSchema = v.strictObject({
  /** Default `loose`, the paper's rule: the word "revert" and the hash of an earlier commit. */
  label: v.exactOptional(v.picklist(['loose', 'strict', 'any'])),
  /** Clean candidates for each defective one. Default 2: the paper's pools, 11,807 and 6,257, before triage. */
  ratio: v.exactOptional(bounded),
  /** Days between a clean candidate and its defective one. Default 180; the paper says "a similar time period". */
  window_days: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
  all_clean: v.exactOptional(v.boolean()),
  keep_relanded: v.exactOptional(v.boolean()),
  /** Default: the four words that the paper names. */
  problem_words: v.exactOptional(texts()),
  /** Default 5, as the paper. */
  later_commits: v.exactOptional(count),
  since: v.exactOptional(text),
  until: v.exactOptional(text),
  range: v.exactOptional(text),
  branch: v.exactOptional(text),
  author: v.exactOptional(text),
  paths: v.exactOptional(texts()),
  ignore_paths: v.exactOptional(texts()),
  extensions: v.exactOptional(texts()),
  seed: v.exactOptional(seed),
});

const triageSchema = v.strictObject({
  /** `rules`, `MODEL` of OpenAI, or `MODEL@URL` of a compatible server. Default `rules`, offline; the paper asked GPT-4o (section 3.1). */
  voters: v.optional(v.pipe(texts(), v.minLength(1)), ['rules']),
  /** Default 3 (section 3.1). */
  ballots: v.optional(v.pipe(count, v.maxValue(1000, 'expected at most 1000')), 3),
  /** Default `unanimous-ab` (section 3.1). */
  rule: v.optional(v.picklist(['unanimous-ab', 'unanimous', 'majority-ab'] satisfies Rule[]), 'unanimous-ab'),
});

const splitSchema = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'string' ? { rule: given } : given)),
  v.variant('rule', [
    v.strictObject({ rule: v.picklist(['per-class', 'strict', 'leave-one-project-out']) }),
    v.strictObject({ rule: v.literal('cross-project'), test_projects: v.pipe(texts(), v.minLength(1)) }),
  ]),
);

/** Training of language models; the linear baseline has options of its own. */
const trainingEntries = {
  learning_rate: bounded,
  batch_size: count,
  gradient_accumulation: count,
  epochs: count,
  schedule: v.picklist(['linear', 'constant']),
  warm_up: share,
  weight_decay: v.pipe(v.number(), v.minValue(0), v.ltValue(1)),
  clip_norm: bounded,
  positive_weight: v.union([v.literal('balanced'), bounded], 'expected balanced or a number above 0'),
  select_by: v.picklist(['f1', 'mcc', 'prAuc', 'rocAuc', 'balancedAccuracy']),
  device: v.picklist(['cpu', 'cuda', 'webgpu', 'dml']),
  threads: count,
};

const trainingSchema = v.strictObject({
  /** Default 1e-5 (section 4.4). */
  learning_rate: v.optional(trainingEntries.learning_rate, 1e-5),
  /** Default 8 (section 4.4). */
  batch_size: v.optional(trainingEntries.batch_size, 8),
  /** Batches that make one step. Default 4: section 4.4 accumulates gradients and does not say over how many. */
  gradient_accumulation: v.optional(trainingEntries.gradient_accumulation, 4),
  /** Default 6 (section 4.4). */
  epochs: v.optional(trainingEntries.epochs, 6),
  /** Default `linear` (section 4.4). */
  schedule: v.optional(trainingEntries.schedule, 'linear'),
  /** Share of the steps. Default 0.1 (section 4.4). */
  warm_up: v.optional(trainingEntries.warm_up, 0.1),
  /** AdamW's. Default 0.01, PyTorch's: section 4.4 names no value. */
  weight_decay: v.optional(trainingEntries.weight_decay, 0.01),
  /** Most that the joint norm of the gradients may be. Default 1: section 4.4 does not speak of it. */
  clip_norm: v.optional(trainingEntries.clip_norm, 1),
  /** Default `balanced`: N_neg / N_pos (section 4.4). */
  positive_weight: v.optional(trainingEntries.positive_weight, 'balanced'),
  /** What chooses the best epoch on validation. Default `f1` (section 4.4). */
  select_by: v.optional(trainingEntries.select_by, 'f1'),
  /** Default `cpu`; the paper had Tesla V100 (section 4.4). Part of what names a cell, as another device gives other bits. */
  device: v.optional(trainingEntries.device, 'cpu'),
  /**
   * Of the processor that one cell takes. Default: one for each core; a cell's name then does not tell how many, and machines of
   * other cores give other bits under it.
   */
  threads: v.exactOptional(trainingEntries.threads),
});
export type TrainingSettings = v.InferOutput<typeof trainingSchema>;

/** What one model has otherwise than the study. */
const ownTrainingSchema = v.exactOptional(
  v.strictObject({
    learning_rate: v.exactOptional(trainingEntries.learning_rate),
    batch_size: v.exactOptional(trainingEntries.batch_size),
    gradient_accumulation: v.exactOptional(trainingEntries.gradient_accumulation),
    epochs: v.exactOptional(trainingEntries.epochs),
    schedule: v.exactOptional(trainingEntries.schedule),
    warm_up: v.exactOptional(trainingEntries.warm_up),
    weight_decay: v.exactOptional(trainingEntries.weight_decay),
    clip_norm: v.exactOptional(trainingEntries.clip_norm),
    positive_weight: v.exactOptional(trainingEntries.positive_weight),
    select_by: v.exactOptional(trainingEntries.select_by),
    device: v.exactOptional(trainingEntries.device),
    threads: v.exactOptional(trainingEntries.threads),
  }),
);

const statisticsSchema = v.strictObject({
  /** Results are called significant below it. Default 0.05 (section 4.4). */
  significance: v.optional(v.pipe(open, v.maxValue(0.5, 'expected at most 0.5')), defaultStatistics.significance),
  /** Of the bootstrap. Default 10,000 (section 4.4). */
  resamples: v.optional(v.pipe(count, v.maxValue(1e7)), defaultStatistics.resamples),
  /** Level of the bootstrap's interval. Default 0.95 (section 4.4). */
  confidence: v.optional(open, defaultStatistics.confidence),
  /** Differences of F1 below it count as none. Default 0.01: section 5, RQ3, calls what stays within 1% unchanged. */
  equivalence_margin: v.optional(open, defaultStatistics.equivalenceMargin),
});

const seedsSchema = v.pipe(
  v.unknown(),
  v.transform((given) => {
    const [, first, last] = typeof given === 'string' ? (/^(\d+)-(\d+)$/.exec(given) ?? []) : [];
    const length = Number(last) - Number(first) + 1;
    return length >= 1 && length <= 1000 ? Array.from({ length }, (_, i) => Number(first) + i) : given;
  }),
  v.array(seed, 'expected a list of seeds, or a range such as 12345-12354'),
  v.minLength(1),
  unique(),
);

const presetNames = Object.keys(tokenizerPresets) as TokenizerPresetName[];

const reading = {
  /** As tables name it. */
  name: v.exactOptional(v.pipe(v.string(), v.regex(/^[\w][\w.@+-]*$/, 'expected letters, digits and . _ @ + -'))),
  /** Most tokens of an input. Default: what the model reads, 512 or 1,024 (section 4.2). */
  max_tokens: v.exactOptional(count),
};

/** For a model that is dear: only some of the study's encodings or seeds. Comparisons are over what models have in common. */
const part = {
  encodings: v.exactOptional(v.pipe(v.array(encodingSchema), v.minLength(1), unique())),
  seeds: v.exactOptional(seedsSchema),
};

const linearSchema = v.strictObject({
  kind: v.literal('linear'),
  ...reading,
  ...part,
  /** A folder or `hub:owner/name`, with its preset. Default: lexemes. */
  tokenizer: v.exactOptional(text),
  preset: v.exactOptional(v.picklist(presetNames)),
  learning_rate: v.exactOptional(bounded),
  l2: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(most, `expected at most ${most}`))),
  epochs: v.exactOptional(count),
});

const checkpointSchema = v.strictObject({
  kind: v.literal('checkpoint'),
  ...reading,
  ...part,
  /** The model's family: how its inputs are framed, and how many tokens it reads. */
  preset: v.picklist(presetNames),
  /** A folder, relative to the study file, or `hub:owner/name`, `hub:owner/name@revision`. Default: the preset's on the hub. */
  checkpoint: v.exactOptional(text),
  /** Default: the checkpoint's own. */
  tokenizer: v.exactOptional(text),
  /** Members of `training` above that this model has otherwise. */
  training: ownTrainingSchema,
});

const scratchSchema = v.strictObject({
  kind: v.literal('scratch'),
  ...reading,
  ...part,
  preset: v.picklist(presetNames),
  tokenizer: text,
  /** Members of a `config.json`; `vocab_size` is the tokenizer's. */
  config: v.record(v.string(), v.unknown()),
  training: ownTrainingSchema,
});

const chatSchema = v.strictObject({
  kind: v.literal('chat'),
  name: reading.name,
  ...part,
  /** Characters of an input, since a server keeps its tokenizer to itself. Default 8,192. */
  max_characters: v.optional(count, 8192),
  model: text,
  /** Of an OpenAI-compatible server, with its version. Default OpenAI's own. */
  base_url: v.exactOptional(v.pipe(v.string(), v.url('expected a URL such as http://127.0.0.1:8080/v1'))),
  /** Default 0. */
  temperature: v.optional(v.pipe(v.number(), v.minValue(0), v.finite('expected a finite number')), 0),
  max_output_tokens: v.optional(count, 64),
});

/** The models of section 4.2 and GraphCodeBERT by their names alone, from the hub; `linear` is the baseline. */
const named: Readonly<Record<string, unknown>> = {
  linear: { kind: 'linear' },
  codebert: { kind: 'checkpoint', name: 'CodeBERT', preset: 'codebert' },
  codet5p: { kind: 'checkpoint', name: 'CodeT5+', preset: 'codet5p' },
  unixcoder: { kind: 'checkpoint', name: 'UniXcoder-512', preset: 'unixcoder' },
  'unixcoder-1024': { kind: 'checkpoint', name: 'UniXcoder-1024', preset: 'unixcoder-1024' },
  graphcodebert: { kind: 'checkpoint', name: 'GraphCodeBERT', preset: 'graphcodebert' },
};

const modelSchema = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'string' ? (named[given] ?? { kind: given }) : given)),
  v.variant(
    'kind',
    [linearSchema, checkpointSchema, scratchSchema, chatSchema],
    `expected ${Object.keys(named).join(', ')}, or { kind: linear, checkpoint, scratch or chat, ... }`,
  ),
);
export type ModelEntry = v.InferOutput<typeof modelSchema>;

const counterfactualEntry = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'string' ? { name: given } : given)),
  v.strictObject({ name: counterfactualSchema, encoding: v.exactOptional(encodingSchema) }),
);

/** An encoding that does not go with it is refused where the study is run. */
function shownBy({ name, encoding }: v.InferOutput<typeof counterfactualEntry>): unknown {
  try {
    return [name, counterfactualTraits(name, encoding).encoding];
  } catch {
    return [name, encoding];
  }
}

export const studyFileSchema = v.strictObject({
  /** Of C and C++ (section 3.1 has 22). */
  repositories: v.pipe(
    v.array(repositorySchema),
    v.minLength(1, 'expected at least one repository'),
    unique(({ source }) => source),
  ),
  mining: v.optional(miningSchema, {}),
  triage: v.optional(triageSchema, {}),
  /** Default `per-class`: 80/10/10 by time within each repository and class (section 3.1). */
  split: v.optional(splitSchema, 'per-class'),
  /** Which side of a duplicate across sets goes. Default `cut-from-train` (R+R, RQ2A). */
  duplicates: v.optional(v.picklist(['cut-from-train', 'cut-from-test'] satisfies RemovalPolicy[]), 'cut-from-train'),
  /** Default: the four of section 4.2. The linear baseline is added where it is not named; it is not in the ANOVA then. */
  models: v.optional(v.pipe(v.array(modelSchema), v.minLength(1)), [
    'codebert',
    'codet5p',
    'unixcoder',
    'unixcoder-1024',
  ]),
  /** Default: the five of section 3.2. */
  encodings: v.optional(v.pipe(v.array(encodingSchema), v.minLength(1), unique()), [...paperEncodings]),
  /**
   * Unchanged lines around each edit in encodings that show some (`diff-tags`, `unified-diff`, `unified-words`), or `all`.
   * Default 3, as git: section 3.2 says "local context" and no number.
   */
  context_lines: v.optional(
    v.union([v.literal('all'), v.pipe(v.number(), v.integer(), v.minValue(0))], 'expected a number of lines or all'),
    3,
  ),
  /** Default: the four of section 3.2, as far as their encodings are in the study. Names, or `{ name, encoding }` for those that go with any. */
  counterfactuals: v.exactOptional(v.pipe(v.array(counterfactualEntry), unique(shownBy))),
  /** Default 12345 to 12354 (section 4.4). */
  seeds: v.optional(seedsSchema, [...paperSeeds]),
  training: v.optional(trainingSchema, {}),
  /** Default `fixed`, 0.5 (the paper names none); `validation-f1`: the score with the best F1 on validation. */
  threshold: v.optional(v.picklist(['fixed', 'validation-f1']), 'fixed'),
  statistics: v.optional(statisticsSchema, {}),
  /** Folder of the run store, relative to the study file. Default: in the study's folder. */
  store: v.exactOptional(text),
});

/** A checked study file: every default in its place. */
export type StudyFile = v.InferOutput<typeof studyFileSchema>;
/** What a study file may hold. */
export type StudyFileInput = v.InferInput<typeof studyFileSchema>;

/** `window_days` as `windowDays`. */
export function miningOptionsOf({
  mining,
}: Pick<StudyFile, 'mining'>): Omit<MineOptions, 'project' | 'index' | 'workers'> {
  return Object.fromEntries(
    Object.entries(mining).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]),
  );
}

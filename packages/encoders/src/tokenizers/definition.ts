import { RedefError } from '@redef/core';
import { byteCharacters } from './byte-characters.js';

/**
 * A byte-level BPE as `tokenizer.json` writes it, changed in one way: its added tokens are moved into the vocabulary, so
 * that `<s>` in a source text is split as any other text.
 */
export interface TokenizerDefinition {
  version: '1.0';
  truncation: null;
  padding: null;
  added_tokens: [];
  normalizer: null;
  pre_tokenizer: typeof byteLevel;
  post_processor: null;
  decoder: typeof byteLevel;
  model: {
    type: 'BPE';
    dropout: null;
    unk_token: null;
    continuing_subword_prefix: '';
    end_of_word_suffix: '';
    fuse_unk: false;
    byte_fallback: false;
    vocab: Record<string, number>;
    merges: [string, string][];
  };
}

/** Above any vocabulary's: a table has a row for each id. */
const maxId = 2 ** 24;

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true } as const;

/** Files of a tokenizer by name, as text: `tokenizer.json`, or `vocab.json` with `merges.txt`, and `added_tokens.json` where there is one. */
export type TokenizerFiles = Partial<
  Record<'tokenizer.json' | 'vocab.json' | 'merges.txt' | 'added_tokens.json', string>
>;

/**
 * A definition from a tokenizer's files. `tokenizer.json` wins where both forms are there; `vocab.json` and `merges.txt`
 * make a byte-level BPE as RoBERTa's.
 *
 * @param where how errors name the source
 * @throws `RedefError` `invalid-tokenizer`
 */
export function defineTokenizer(files: TokenizerFiles, where: string): TokenizerDefinition {
  const whole = files['tokenizer.json'];
  if (whole !== undefined) return fromTokenizerJson(whole, `${where}: tokenizer.json`);
  const { 'vocab.json': vocabulary, 'merges.txt': merges, 'added_tokens.json': added } = files;
  if (vocabulary === undefined || merges === undefined) {
    throw invalid(`${where}: found neither tokenizer.json nor vocab.json with merges.txt`);
  }
  const vocab = parseVocabulary(vocabulary, `${where}: vocab.json`);
  const extra = added === undefined ? {} : parseVocabulary(added, `${where}: added_tokens.json`);
  return byteLevelBpe(vocab, extra, parseMerges(merges.split(/\r?\n/), vocab, `${where}: merges.txt`), where);
}

function fromTokenizerJson(text: string, where: string): TokenizerDefinition {
  const value = parseJson(text, where);
  const { model, pre_tokenizer: pre, normalizer, added_tokens: added = [] } = isObject(value) ? value : {};
  if (!isObject(model) || model.type !== 'BPE' || !isObject(pre) || pre.type !== 'ByteLevel') {
    throw invalid(`${where}: expected a byte-level BPE (model BPE, pre_tokenizer ByteLevel)`);
  }
  if (pre.add_prefix_space === true || pre.use_regex === false || (normalizer ?? null) !== null) {
    throw invalid(
      `${where}: expected no normalizer, add_prefix_space false and use_regex true: the text must stay as it is`,
    );
  }
  const vocab = model.vocab;
  if (!isVocabulary(vocab) || !Array.isArray(model.merges)) {
    throw invalid(`${where}: expected model.vocab, an object of tokens and their ids, and model.merges, a list`);
  }
  if (!Array.isArray(added) || !added.every(isAddedToken)) {
    throw invalid(`${where}: expected added_tokens to be a list of tokens with content and id`);
  }
  const plain = added.find(({ special }) => special === false);
  if (plain) {
    throw invalid(
      `${where}: ${JSON.stringify(plain.content)} is an added token that is not special: it would have to be found in source text, which is split by merges alone here`,
    );
  }
  const rule = ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix', 'ignore_merges'].find(
    (name) => model[name],
  );
  if (rule !== undefined) throw invalid(`${where}: expected a model without ${rule}`);
  const extra = Object.fromEntries(added.map(({ content, id }) => [content, id]));
  const merges = model.merges.map((merge) => (Array.isArray(merge) ? merge.join(' ') : String(merge)));
  return byteLevelBpe(vocab, extra, parseMerges(merges, vocab, `${where}: merge`), where);
}

function byteLevelBpe(
  vocab: Record<string, number>,
  extra: Record<string, number>,
  merges: [string, string][],
  where: string,
): TokenizerDefinition {
  checkIds(vocab, extra, where);
  checkMerged(vocab, extra, merges, where);
  const missing = byteCharacters.find((character) => !Object.hasOwn(vocab, character));
  if (missing !== undefined) {
    throw invalid(
      `${where}: expected a token for each of the 256 bytes, found none for byte ${byteCharacters.indexOf(missing)}`,
    );
  }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: { ...vocab, ...extra },
      merges,
    },
  };
}

/** One id a token and one token an id; an added token that stands in the vocabulary as well has its id there. */
function checkIds(vocab: Record<string, number>, extra: Record<string, number>, where: string): void {
  const tokens = new Map<number, string>();
  for (const [token, id] of [...Object.entries(vocab), ...Object.entries(extra)]) {
    const known = tokens.get(id) ?? token;
    const inVocabulary = Object.hasOwn(vocab, token) ? vocab[token] : id;
    if (known !== token || inVocabulary !== id) {
      throw invalid(
        `${where}: expected one id for each token and one token for each id, found ${JSON.stringify(token)} with ${id} against that`,
      );
    }
    tokens.set(id, token);
  }
}

/**
 * Where a file of merges was cut short, the rest of the vocabulary is never made and other ids come out. A few tokens are
 * made by no merge in published vocabularies too: `<mask>`, `madeupword0000`, the syntax nodes of UniXcoder.
 */
function checkMerged(
  vocab: Record<string, number>,
  extra: Record<string, number>,
  merges: readonly [string, string][],
  where: string,
): void {
  const made = new Set(merges.map(([left, right]) => left + right));
  const long = Object.keys(vocab).filter((token) => token.length > 1 && !Object.hasOwn(extra, token));
  const unmade = long.filter((token) => !made.has(token) && !/^<.*>$/s.test(token));
  if (unmade.length > 0.05 * long.length) {
    throw invalid(
      `${where}: no merge makes ${unmade.length} of ${long.length} tokens, ${JSON.stringify(unmade.at(-1))} for one: the merges are not all there`,
    );
  }
}

function parseVocabulary(text: string, where: string): Record<string, number> {
  const value = parseJson(text, where);
  if (!isVocabulary(value)) throw invalid(`${where}: expected an object of tokens and their ids`);
  return value;
}

/** One merge a line, two tokens with a space between; a first line `#version: ...` is a comment. */
function parseMerges(lines: readonly string[], vocab: Record<string, number>, where: string): [string, string][] {
  const merges: [string, string][] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '' || (index === 0 && line.startsWith('#version'))) continue;
    const [left, right, ...rest] = line.split(' ');
    if (!left || !right || rest.length > 0 || !Object.hasOwn(vocab, left + right)) {
      throw invalid(`${where}:${index + 1}: expected two tokens whose union is in the vocabulary`);
    }
    merges.push([left, right]);
  }
  return merges;
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`${where}: not JSON: ${(cause as Error).message}`, cause);
  }
}

function isVocabulary(value: unknown): value is Record<string, number> {
  return isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isId);
}

function isAddedToken(value: unknown): value is { content: string; id: number; special?: unknown } {
  return isObject(value) && typeof value.content === 'string' && isId(value.id);
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < maxId;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function invalid(message: string, cause?: unknown): RedefError {
  return new RedefError(message, {
    code: 'invalid-tokenizer',
    remedy: 'Download the tokenizer files of the model again, or use those of a model that the presets name.',
    cause,
  });
}

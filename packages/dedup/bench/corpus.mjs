import { createRng } from '@redef/core';

const types = ['int', 'char *', 'long', 'void', 'size_t', 'struct list *', 'unsigned int'];
const operators = ['+', '-', '*', '/', '%', '<', '>', '==', '!=', '<<', '&', '|', '&&', '||'];
const stems = ['buf', 'len', 'ctx', 'node', 'ptr', 'idx', 'state', 'dev', 'page', 'lock', 'queue', 'entry'];

/**
 * Rows like those of a bug-fix corpus: tokenised C functions of about `length` characters with a CWE tag and bug markers.
 * Of every hundred, about one repeats an earlier row, one repeats it under another tag, one under other names, and three
 * are copies with one to ten tokens in a hundred replaced; `planted` says which and of what row.
 */
export function* corpus(rows, seed, length = 2000) {
  const rng = createRng(seed);
  const recent = [];
  for (let row = 0; row < rows; row++) {
    const turn = rng.integer(100);
    const origin = row > 0 && turn < 6 ? recent[rng.integer(recent.length)] : undefined;
    if (!origin) {
      const tokens = randomFunction(rng, length);
      recent[recent.length < 200 ? recent.length : rng.integer(200)] = { row, tokens };
      yield { source: sourceOf('CWE-000', tokens), target: targetOf(rng), planted: undefined };
      continue;
    }
    const kind = turn === 0 ? 'exact' : turn === 1 ? 'tag' : turn === 2 ? 'renamed' : 'near';
    const tokens =
      kind === 'renamed' ? renamed(origin.tokens, row) : kind === 'near' ? edited(origin.tokens, rng) : origin.tokens;
    const tag = kind === 'tag' ? `CWE-${1 + rng.integer(1400)}` : 'CWE-000';
    yield { source: sourceOf(tag, tokens), target: targetOf(rng), planted: { kind, of: origin.row } };
  }
}

function sourceOf(tag, tokens) {
  const at = Math.floor(tokens.length / 2);
  const region = ['<S2SV_StartBug>', ...tokens.slice(at, at + 6), '<S2SV_EndBug>'];
  return `${tag} ${[...tokens.slice(0, at), ...region, ...tokens.slice(at + 6)].join(' ')}\n`;
}

function targetOf(rng) {
  return `<S2SV_ModStart> ${nameOf(rng)} = 0 ; <S2SV_ModEnd> ) ; }\n`;
}

function nameOf(rng) {
  return `${stems[rng.integer(stems.length)]}_${Math.floor(rng.next() ** 3 * 200_000)}`;
}

function randomFunction(rng, length) {
  const pick = (items) => items[rng.integer(items.length)];
  const names = Array.from({ length: 14 }, () => nameOf(rng));
  const tokens = [pick(types), nameOf(rng), '(', pick(types), names[0], ',', pick(types), names[1], ')', '{'];
  const size = length * (0.5 + rng.next());
  for (let written = 60; written < size; ) {
    const before = tokens.length;
    const shape = rng.integer(4);
    if (shape === 0) tokens.push(pick(names), '=', pick(names), pick(operators), String(rng.integer(300)), ';');
    else if (shape === 1)
      tokens.push('if', '(', pick(names), pick(operators), pick(names), ')', 'return', pick(names), ';');
    else if (shape === 2) tokens.push(nameOf(rng), '(', pick(names), ',', '&', pick(names), ')', ';');
    else tokens.push(pick(names), '->', pick(names), '[', pick(names), ']', '+=', `"text ${rng.integer(1000)}"`, ';');
    for (let at = before; at < tokens.length; at++) written += tokens[at].length + 1;
  }
  tokens.push('}');
  return tokens;
}

function renamed(tokens, row) {
  return tokens.map((token) => (/_\d+$/.test(token) ? `r${row}_${token}` : token));
}

function edited(tokens, rng) {
  const copy = [...tokens];
  const edits = Math.max(1, Math.floor(tokens.length * 0.1 * rng.next()));
  for (let edit = 0; edit < edits; edit++) copy[10 + rng.integer(copy.length - 11)] = nameOf(rng);
  return copy;
}

/** The Jaccard index of the sets of 3-token shingles, by the plainest means. */
export function jaccardOf(first, second) {
  const shingles = (source) => {
    const tokens = source.replace(/^CWE-\d+ |<S2SV_(?:Start|End)Bug> /g, '').match(/"[^"]*"|\S+/g);
    return new Set(tokens.slice(0, -2).map((_token, at) => tokens.slice(at, at + 3).join('\0')));
  };
  const [left, right] = [shingles(first), shingles(second)];
  let shared = 0;
  for (const shingle of left) if (right.has(shingle)) shared++;
  return shared / (left.size + right.size - shared);
}

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PickledTensor, PickleError, type Unpickled, UnpickledMap, unpickle } from './pickle.js';

const pickle = (text: string) => Buffer.from(text, 'latin1');
const load = (text: string) => unpickle(pickle(text)).value;

function refusal(bytes: Uint8Array): PickleError {
  try {
    unpickle(bytes);
  } catch (error) {
    if (error instanceof PickleError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test.each<[string, string, Unpickled]>([
  ['None', '\x80\x02N.', null],
  ['True', '\x80\x02\x88.', true],
  ['-1', '\x80\x02J\xff\xff\xff\xff.', -1],
  ['300', '\x80\x02M\x2c\x01.', 300],
  ['2 ** 40', '\x80\x02\x8a\x06\x00\x00\x00\x00\x00\x01.', 2 ** 40],
  ['-2 ** 70', '\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xc0.', -(2n ** 70n)],
  ['0.5', '\x80\x02G?\xe0\x00\x00\x00\x00\x00\x00.', 0.5],
  ['"é"', '\x80\x02X\x02\x00\x00\x00\xc3\xa9q\x00.', 'é'],
  ['(1, (2, 3))', '\x80\x02K\x01K\x02K\x03\x86\x86.', [1, [2, 3]]],
  ['[1, 2, 3]', '\x80\x02](K\x01K\x02e' + 'K\x03a.', [1, 2, 3]],
])('%s as Python writes it', (_name, text, value) => {
  expect(load(text)).toEqual(value);
});

test('an OrderedDict with attributes', () => {
  const value = load('\x80\x02ccollections\nOrderedDict\n)R(X\x01\x00\x00\x00aK\x01u}b.');
  expect(value).toEqual(new UnpickledMap([['a', 1]]));
});

test.each([
  ['os.system', "cos\nsystem\n(S'id'\ntR."],
  ['os.system by STACK_GLOBAL', '\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.'],
  ['builtins.eval', '\x80\x02cbuiltins\neval\nX\x01\x00\x00\x001\x85R.'],
  ['builtins.getattr', '\x80\x02cbuiltins\ngetattr\n.'],
  ['torch.load', '\x80\x02ctorch\nload\n.'],
  ['torch.nn.Linear', '\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81.'],
  ['a name that objects inherit', '\x80\x02c__proto__\n__proto__\n.'],
  ['a name that ends as one of ours', '\x80\x02cevil.torch._utils\n_rebuild_tensor_v2\n.'],
  ['a storage type that is called', '\x80\x02ctorch\nFloatStorage\n)R.'],
  ['a call of a string', '\x80\x02X\x02\x00\x00\x00os)R.'],
  ['INST', '(ios\nsystem\n.'],
  ['OBJ', '(cos\nsystem\no.'],
  ['NEWOBJ', '\x80\x02ccollections\nOrderedDict\n)\x81.'],
  ['EXT1', '\x80\x02\x82\x01.'],
  ['a persistent id in text', 'P0\n.'],
  ['attributes of a tuple', '\x80\x02)}b.'],
])('%s is refused as unsafe', (_name, text) => {
  expect(refusal(pickle(text)).unsafe).toBe(true);
});

test.each([
  ['nothing', ''],
  ['no end', '\x80\x02N'],
  ['a text longer than the file', '\x80\x02X\xff\xff\xff\xffa.'],
  ['a text of 2 ** 63 bytes', '\x80\x04\x8d\x00\x00\x00\x00\x00\x00\x00\x80a.'],
  ['a text that is not UTF-8', '\x80\x02X\x01\x00\x00\x00\xff.'],
  ['an empty stack', '\x80\x02.'],
  ['a mark as the result', '\x80\x02(.'],
  ['no mark', '\x80\x02]K\x01e.'],
  ['an unknown memory', '\x80\x02h\x07.'],
  ['a key without a value', '\x80\x02}(K\x01u.'],
  ['a storage that is none', '\x80\x02K\x01Q.'],
  ['a protocol of the future', '\x80\x09N.'],
])('%s is refused as damaged', (_name, text) => {
  expect(refusal(pickle(text)).unsafe).toBe(false);
});

test('a tensor with a negative, fractional or huge size is refused', () => {
  const tensor = (size: string) =>
    `\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQK\x00${size}\x85K\x01\x85\x89NtR.`;
  expect(load(tensor('K\x04'))).toBeInstanceOf(PickledTensor);
  for (const size of [
    'J\xff\xff\xff\xff',
    'G?\xe0\x00\x00\x00\x00\x00\x00',
    '\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x40',
    'N',
  ]) {
    expect(() => load(tensor(size))).toThrow(PickleError);
  }
});

test('a flood of operations and values that refer to themselves neither hang nor fill the memory', () => {
  expect(refusal(Buffer.alloc(30_000_000, '}')).message).toMatch(/more operations/);
  expect(refusal(Buffer.alloc(30_000_000, '(')).message).toMatch(/more operations/);
  const list = load('\x80\x02]q\x00h\x00a.') as Unpickled[];
  expect(list[0]).toBe(list);
  const doubling = `\x80\x02N${'q\x00h\x00\x86'.repeat(200)}.`; // ((((None, None), ...
  expect(load(doubling)).toHaveLength(2);
});

test('names that are deeply nested values are refused by their type, not spelt', () => {
  const doubled = `\x80\x02N${'q\x00h\x00\x86'.repeat(40)}`; // 2 ** 40 when spelt
  const deep = `\x80\x02N${'\x85'.repeat(300_000)}`;
  for (const nested of [doubled, deep]) {
    expect(refusal(pickle(`${nested}X\x01\x00\x00\x00a\x93.`)).unsafe).toBe(true);
    expect(refusal(pickle(`${nested}N\x93.`)).unsafe).toBe(true);
  }
});

const realPickles = ['legacy', 'training-legacy'].map((name) =>
  readFileSync(new URL(`../../test/fixtures/layouts/${name}.bin`, import.meta.url)),
);

test('whatever the bytes, the result is a value or a PickleError', () => {
  const attempt = (bytes: Uint8Array) => {
    try {
      for (let start = 0; start < bytes.length; ) start = unpickle(bytes, start).end;
    } catch (error) {
      expect(error).toBeInstanceOf(PickleError);
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), attempt), { numRuns: 3000 });
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('replace', 'remove', 'insert')), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.constantFrom(...realPickles), changes, (original, edits) => {
      const bytes = [...original];
      for (const [place, byte, edit] of edits) {
        const insert = edit === 'remove' ? [] : [byte];
        bytes.splice(place % bytes.length, edit === 'insert' ? 0 : 1, ...insert);
      }
      attempt(Uint8Array.from(bytes));
    }),
    { numRuns: 1500 },
  );
});

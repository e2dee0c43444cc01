// A reader for the part of Python's pickle format in which PyTorch writes dictionaries of tensors. A pickle is a program
// for a stack machine that may call any function it names; this machine knows no functions. It builds numbers, strings,
// lists, tuples, dictionaries and descriptions of tensors, and stops with an error at the first thing that is none of
// these. Work and memory are bounded by the length of the input; values may be nested without end, so none is ever walked
// or spelt.

/** What an unpickled value can be. Tuples are arrays too; dictionaries are maps. */
export type Unpickled =
  | null
  | boolean
  | number
  | bigint
  | string
  | Unpickled[]
  | UnpickledMap
  | PickledStorage
  | PickledTensor
  | PickledName;

export class UnpickledMap extends Map<Unpickled, Unpickled> {}

/** The numbers that one or more tensors are views of; they lie elsewhere in the file, under `key`. */
export class PickledStorage {
  constructor(
    /** `FloatStorage`, `HalfStorage`, ... */
    readonly type: string,
    readonly key: string,
    /** Number of elements. */
    readonly length: number,
  ) {}
}

/** A view of a storage; all numbers in elements. */
export class PickledTensor {
  constructor(
    readonly storage: PickledStorage,
    readonly offset: number,
    readonly shape: number[],
    readonly strides: number[],
  ) {}
}

/** A name of Python's that is on the list below: the only ones that may occur. */
export class PickledName {
  constructor(readonly name: string) {}
}

/** Why a pickle was refused. */
export class PickleError extends Error {
  constructor(
    message: string,
    /** It names something that could run code, rather than being merely damaged. */
    readonly unsafe = false,
  ) {
    super(message);
  }
}

/** What `REDUCE` may "call", and what we build in its place. */
const builders: Record<string, (args: Unpickled[]) => Unpickled> = {
  'collections.OrderedDict': () => new UnpickledMap(),
  'torch.Size': ([sizes]) => sizes ?? [],
  'torch._utils._rebuild_tensor': ([storage, offset, shape, strides]) => toTensor(storage, offset, shape, strides),
  'torch._utils._rebuild_tensor_v2': ([storage, offset, shape, strides]) => toTensor(storage, offset, shape, strides),
  'torch._utils._rebuild_parameter': ([tensor]) => tensor ?? null,
};
const storageName = /^torch\.(Double|Float|Half|BFloat16|Long|Int|Short|Char|Byte|Bool)Storage$/;

const mark = Symbol('mark');

/** A tensor takes about twenty: enough for fifty thousand, too few to fill the memory with empty objects. */
const maxOperations = 1_000_000;

export interface UnpickleResult {
  value: Unpickled;
  /** Where the pickle ends. */
  end: number;
  /** Every storage that was referred to, by key. */
  storages: ReadonlyMap<Unpickled, PickledStorage>;
}

/**
 * Runs one pickle.
 *
 * @param start where it begins in `bytes`
 * @throws {@link PickleError}
 */
export function unpickle(bytes: Uint8Array, start = 0): UnpickleResult {
  const input = new PickleInput(bytes, start);
  const stack: (Unpickled | typeof mark)[] = [];
  const memo = new Map<number, Unpickled>();
  const storages = new Map<Unpickled, PickledStorage>();

  const pop = (): Unpickled => {
    const value = stack.pop();
    if (value === undefined || value === mark) throw new PickleError('a value is missing on the stack');
    return value;
  };
  const popToMark = (): Unpickled[] => {
    const at = stack.lastIndexOf(mark);
    if (at < 0) throw new PickleError('a mark is missing on the stack');
    const values = stack.splice(at + 1) as Unpickled[];
    stack.pop();
    return values;
  };
  const top = (): Unpickled => {
    const value = pop();
    stack.push(value);
    return value;
  };
  const recall = (key: number) => {
    const value = memo.get(key);
    if (value === undefined) throw new PickleError(`nothing was remembered under ${key}`);
    stack.push(value);
  };
  const append = (values: Unpickled[]) => {
    const list = top();
    if (!Array.isArray(list)) throw new PickleError('append to what is no list');
    for (const value of values) list.push(value);
  };
  const setItems = (pairs: Unpickled[]) => {
    const map = top();
    if (!(map instanceof UnpickledMap)) throw new PickleError('an item set in what is no dictionary');
    if (pairs.length % 2 > 0) throw new PickleError('a key without a value');
    for (let index = 0; index < pairs.length; index += 2) map.set(pairs[index]!, pairs[index + 1]!);
  };

  for (let operations = 0; ; operations++) {
    if (operations > maxOperations) throw new PickleError('more operations than a dictionary of tensors takes');
    const opcode = String.fromCharCode(input.byte());
    switch (opcode) {
      case '\x80': // PROTO
        if (input.byte() > 5) throw new PickleError('a newer pickle protocol than 5');
        break;
      case '\x95': // FRAME
        input.skip(8);
        break;
      case '.': // STOP
        return { value: pop(), end: input.position, storages };
      case '(': // MARK
        stack.push(mark);
        break;
      case '0': // POP
        if (stack.pop() === undefined) throw new PickleError('a value is missing on the stack');
        break;
      case '1': // POP_MARK
        popToMark();
        break;

      case 'N': // NONE
        stack.push(null);
        break;
      case '\x88': // NEWTRUE
        stack.push(true);
        break;
      case '\x89': // NEWFALSE
        stack.push(false);
        break;
      case 'J': // BININT
        stack.push(input.view(4).getInt32(0, true));
        break;
      case 'K': // BININT1
        stack.push(input.byte());
        break;
      case 'M': // BININT2
        stack.push(input.view(2).getUint16(0, true));
        break;
      case '\x8a': // LONG1
        stack.push(toInteger(input.bytes(input.byte())));
        break;
      case 'G': // BINFLOAT
        stack.push(input.view(8).getFloat64(0, false));
        break;
      case 'X': // BINUNICODE
        stack.push(input.text(input.length(4)));
        break;
      case '\x8c': // SHORT_BINUNICODE
        stack.push(input.text(input.byte()));
        break;
      case '\x8d': // BINUNICODE8
        stack.push(input.text(input.length(8)));
        break;

      case ']': // EMPTY_LIST
        stack.push([]);
        break;
      case 'a': // APPEND
        append([pop()]);
        break;
      case 'e': // APPENDS
        append(popToMark());
        break;
      case ')': // EMPTY_TUPLE
        stack.push([]);
        break;
      case '\x85': // TUPLE1
        stack.push([pop()]);
        break;
      case '\x86': // TUPLE2
        stack.push([pop(), pop()].reverse());
        break;
      case '\x87': // TUPLE3
        stack.push([pop(), pop(), pop()].reverse());
        break;
      case 't': // TUPLE
        stack.push(popToMark());
        break;
      case '}': // EMPTY_DICT
        stack.push(new UnpickledMap());
        break;
      case 's': // SETITEM
        setItems([pop(), pop()].reverse());
        break;
      case 'u': // SETITEMS
        setItems(popToMark());
        break;

      case 'q': // BINPUT
        memo.set(input.byte(), top());
        break;
      case 'r': // LONG_BINPUT
        memo.set(input.length(4), top());
        break;
      case '\x94': // MEMOIZE
        memo.set(memo.size, top());
        break;
      case 'h': // BINGET
        recall(input.byte());
        break;
      case 'j': // LONG_BINGET
        recall(input.length(4));
        break;

      case 'c': // GLOBAL
        stack.push(toName(`${input.line()}.${input.line()}`));
        break;
      case '\x93': {
        // STACK_GLOBAL
        const [name, module] = [pop(), pop()];
        if (typeof name !== 'string' || typeof module !== 'string') {
          throw new PickleError('it names something by what is no text', true);
        }
        stack.push(toName(`${module}.${name}`));
        break;
      }
      case 'Q': {
        // BINPERSID
        const storage = toStorage(pop());
        storages.set(storage.key, storage);
        stack.push(storage);
        break;
      }
      case 'R': {
        // REDUCE
        const [args, callee] = [pop(), pop()];
        const build = callee instanceof PickledName ? builders[callee.name] : undefined;
        if (!build || !Array.isArray(args)) throw new PickleError('a call of what is no tensor builder', true);
        stack.push(build(args));
        break;
      }
      case 'b': // BUILD: state_dict carries its metadata as an attribute
        pop();
        if (!(top() instanceof UnpickledMap)) throw new PickleError('attributes set on what is no dictionary', true);
        break;
      default:
        throw new PickleError(`opcode 0x${opcode.charCodeAt(0).toString(16)} is not one that tensors need`, true);
    }
  }
}

function toName(name: string): PickledName {
  if (Object.hasOwn(builders, name) || storageName.test(name)) return new PickledName(name);
  throw new PickleError(`it names ${JSON.stringify(name.slice(0, 80))}, which is no part of a tensor`, true);
}

/** `('storage', FloatStorage, key, device, length)`; older files add a description of a view, which must be absent. */
function toStorage(id: Unpickled): PickledStorage {
  const [kind, type, key, , length, view = null] = Array.isArray(id) ? id : [];
  const name = type instanceof PickledName ? storageName.exec(type.name) : null;
  if (kind !== 'storage' || !name || typeof key !== 'string' || !isCount(length) || view !== null) {
    throw new PickleError('a reference to something that is no tensor storage');
  }
  return new PickledStorage(`${name[1]}Storage`, key, length);
}

function toTensor(
  storage: Unpickled | undefined,
  offset: Unpickled | undefined,
  shape: Unpickled | undefined,
  strides: Unpickled | undefined,
): PickledTensor {
  if (!(storage instanceof PickledStorage) || !isCount(offset) || !isCounts(shape) || !isCounts(strides)) {
    throw new PickleError('a tensor with a storage, offset, shape or strides that are none');
  }
  if (shape.length !== strides.length || shape.length > 64) throw new PickleError('a tensor of impossible rank');
  return new PickledTensor(storage, offset, [...shape], [...strides]);
}

function isCount(value: Unpickled | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCounts(value: Unpickled | undefined): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

/** Little-endian two's complement: a number where it is exact, else a bigint. */
function toInteger(bytes: Uint8Array): number | bigint {
  let value = 0n;
  for (const [index, byte] of bytes.entries()) value |= BigInt(byte) << BigInt(8 * index);
  const signed = BigInt.asIntN(8 * bytes.length, value);
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

/** The bytes still to be read; every read checks that they are there. */
class PickleInput {
  constructor(
    private readonly all: Uint8Array,
    public position: number,
  ) {}

  bytes(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.all.length) throw new PickleError('it ends in the middle');
    const bytes = this.all.subarray(this.position, end);
    this.position = end;
    return bytes;
  }

  byte(): number {
    return this.bytes(1)[0]!;
  }

  skip(length: number): void {
    this.bytes(length);
  }

  view(length: number): DataView {
    const bytes = this.bytes(length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }

  /** An unsigned length of 4 or 8 bytes. */
  length(width: 4 | 8): number {
    const view = this.view(width);
    return width === 4 ? view.getUint32(0, true) : Number(view.getBigUint64(0, true));
  }

  text(length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes(length));
    } catch (error) {
      throw error instanceof PickleError ? error : new PickleError('a text that is not UTF-8');
    }
  }

  /** Up to the next line feed. */
  line(): string {
    const end = this.all.indexOf(0x0a, this.position);
    if (end < 0) throw new PickleError('it ends in the middle');
    const text = this.text(end - this.position);
    this.position = end + 1;
    return text;
  }
}

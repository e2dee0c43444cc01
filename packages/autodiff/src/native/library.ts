import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RedefError } from '@redef/core';
import type koffi from 'koffi';
import type { LibraryHandle } from 'koffi';

/** A pointer that only the library looks behind. */
export type Pointer = NonNullable<unknown>;

type NativeFunction = ReturnType<LibraryHandle['func']>;

/** The functions of ONNX Runtime's C API that running a graph takes. Each checks the status and throws its message. */
export interface Library {
  createMemoryInfo(): Pointer;
  /** Sessions share one arena: those of several shapes, run in turns, take the memory of the largest, not of all. */
  createSession(model: Uint8Array, threads: number | undefined): Pointer;
  /** A tensor over the bytes of `data`, which must stay alive as long as it. */
  createTensor(memory: Pointer, data: ArrayBufferView, shape: readonly number[], elementType: number): Pointer;
  /** Runs on another thread; results are written into `outputs`. */
  run(session: Pointer, inputs: ReadonlyMap<string, Pointer>, outputs: ReadonlyMap<string, Pointer>): Promise<void>;
  releaseSession(session: Pointer): void;
  releaseTensor(tensor: Pointer): void;
}

/** The version of the library whose table of functions is used here. */
const version = '1.27.0';

/** A pointer that the function sets. */
const out = 'out';

/** Of the `OrtApi` table: what all functions below are in. */
const tableVersion = 5;

/** Position in the table, which the header says will never change, type of the result and types of the arguments. */
const signatures = {
  GetErrorMessage: [2, 'str', ['void*']],
  CreateEnv: [3, 'void*', ['int', 'str', out]],
  CreateSessionFromArray: [8, 'void*', ['void*', 'void*', 'size_t', 'void*', out]],
  Run: [9, 'void*', ['void*', 'void*', 'str*', 'void**', 'size_t', 'str*', 'size_t', 'void**']],
  CreateSessionOptions: [10, 'void*', [out]],
  DisableMemPattern: [17, 'void*', ['void*']],
  SetSessionGraphOptimizationLevel: [23, 'void*', ['void*', 'int']],
  SetIntraOpNumThreads: [24, 'void*', ['void*', 'int']],
  CreateTensorWithDataAsOrtValue: [49, 'void*', ['void*', 'void*', 'size_t', 'int64_t*', 'size_t', 'int', out]],
  CreateCpuMemoryInfo: [69, 'void*', ['int', 'int', out]],
  ReleaseStatus: [93, 'void', ['void*']],
  ReleaseSession: [95, 'void', ['void*']],
  ReleaseValue: [96, 'void', ['void*']],
  ReleaseSessionOptions: [100, 'void', ['void*']],
  AddSessionConfigEntry: [130, 'void*', ['void*', 'str', 'str']],
  CreateAndRegisterAllocator: [144, 'void*', ['void*', 'void*', 'void*']],
} as const satisfies Record<string, readonly [position: number, result: string, args: readonly string[]]>;

let loaded: Library | undefined;

/**
 * Loads the library that lies inside the `onnxruntime-node` package.
 *
 * @throws `RedefError` `native-unavailable` where it is not there or of another version
 */
export function loadLibrary(): Library {
  loaded ??= bind();
  return loaded;
}

function bind(): Library {
  const koffi = loadKoffi();
  const entry = koffi.load(libraryPath()).func('OrtGetApiBase', 'void*', [])() as unknown;
  // Types without names: named ones would clash with those of another copy of this package.
  const functionAt = (pointer: unknown, result: string, args: readonly string[]): NativeFunction => {
    const types = args.map((type) => (type === out ? koffi.out(koffi.pointer('void*')) : type));
    return koffi.decode(pointer, koffi.proto(result, types)) as NativeFunction;
  };
  const [getApi, getVersion] = koffi.decode(entry, koffi.array('void*', 2)) as [unknown, unknown];
  const found = functionAt(getVersion, 'str', [])() as string;
  if (found !== version) throw unavailable(`ONNX Runtime is ${found}, the native driver is made for ${version}`);
  const table = koffi.decode(
    functionAt(getApi, 'void*', ['uint32_t'])(tableVersion),
    koffi.array('void*', 145),
  ) as unknown[];
  const functions = Object.fromEntries(
    Object.entries(signatures).map(([name, [position, result, args]]) => [
      name,
      functionAt(table[position], result, args),
    ]),
  ) as Record<keyof typeof signatures, NativeFunction>;

  const check = (status: unknown): void => {
    if (!status) return;
    const message = functions.GetErrorMessage(status) as string;
    functions.ReleaseStatus(status);
    throw new Error(message);
  };
  const create = (name: keyof typeof signatures, ...args: unknown[]): Pointer => {
    const result: [Pointer | null] = [null];
    check(functions[name](...args, result));
    return result[0]!;
  };
  const fatalOnly = 4;
  const allOptimizations = 99;
  const arenaAllocator = 1;
  const defaultMemory = 0;

  const createMemoryInfo = () => create('CreateCpuMemoryInfo', arenaAllocator, defaultMemory);
  const environment = create('CreateEnv', fatalOnly, 'redef');
  check(functions.CreateAndRegisterAllocator(environment, createMemoryInfo(), null));

  return {
    createMemoryInfo,
    createSession: (model, threads) => {
      const options = create('CreateSessionOptions');
      try {
        check(functions.AddSessionConfigEntry(options, 'session.use_env_allocators', '1'));
        check(functions.DisableMemPattern(options));
        check(functions.SetSessionGraphOptimizationLevel(options, allOptimizations));
        if (threads !== undefined) check(functions.SetIntraOpNumThreads(options, threads));
        return create('CreateSessionFromArray', environment, model, model.length, options);
      } finally {
        functions.ReleaseSessionOptions(options);
      }
    },
    createTensor: (memory, data, shape, elementType) => {
      const sizes = BigInt64Array.from(shape, BigInt);
      return create('CreateTensorWithDataAsOrtValue', memory, data, data.byteLength, sizes, shape.length, elementType);
    },
    run: (session, inputs, outputs) =>
      new Promise((resolve, reject) => {
        const settle = (error: unknown, status: unknown) => {
          try {
            if (error) throw error;
            check(status);
            resolve();
          } catch (failure) {
            reject(failure);
          }
        };
        functions.Run.async(
          session,
          null,
          [...inputs.keys()],
          [...inputs.values()],
          inputs.size,
          [...outputs.keys()],
          outputs.size,
          [...outputs.values()],
          settle,
        );
      }),
    releaseSession: (session) => functions.ReleaseSession(session),
    releaseTensor: (tensor) => functions.ReleaseValue(tensor),
  };
}

function loadKoffi(): typeof koffi {
  try {
    return createRequire(import.meta.url)('koffi') as typeof koffi;
  } catch (cause) {
    throw new RedefError('The native driver needs the package koffi, which cannot be loaded', {
      code: 'native-unavailable',
      remedy: 'npm install koffi, or use createOnnxRuntimeDriver.',
      cause,
    });
  }
}

function libraryPath(): string {
  const { platform, arch } = process;
  const root = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  const names: Partial<Record<NodeJS.Platform, string>> = {
    linux: 'libonnxruntime.so.1',
    darwin: `libonnxruntime.${version}.dylib`,
    win32: 'onnxruntime.dll',
  };
  const path = join(root, 'bin', 'napi-v6', platform, arch, names[platform] ?? '');
  if (!names[platform] || !existsSync(path))
    throw unavailable(`onnxruntime-node has no library for ${platform} ${arch}`);
  return path;
}

function unavailable(message: string): RedefError {
  return new RedefError(message, {
    code: 'native-unavailable',
    remedy: `Use createOnnxRuntimeDriver, or install onnxruntime-node ${version}.`,
  });
}

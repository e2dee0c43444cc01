import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RedefError } from '@redef/core';
import koffi, { type LibraryHandle } from 'koffi';

/** A pointer that only the library looks behind. */
export type Pointer = NonNullable<unknown>;

type NativeFunction = ReturnType<LibraryHandle['func']>;

/** The functions of ONNX Runtime's C API that running a graph takes. Each checks the status and throws its message. */
export interface Library {
  createEnvironment(): Pointer;
  createMemoryInfo(): Pointer;
  createSession(environment: Pointer, model: Uint8Array, threads: number | undefined): Pointer;
  /** A tensor over the bytes of `data`, which must stay alive as long as it. */
  createTensor(memory: Pointer, data: ArrayBufferView, shape: readonly number[], elementType: number): Pointer;
  /** Runs on another thread; results are written into `outputs`. */
  run(session: Pointer, inputs: ReadonlyMap<string, Pointer>, outputs: ReadonlyMap<string, Pointer>): Promise<void>;
  releaseSession(session: Pointer): void;
  releaseTensor(tensor: Pointer): void;
}

/** The version of the library whose table of functions is used here. */
const version = '1.27.0';

/** Positions in the `OrtApi` table. All belong to its first version, which its header says will never change. */
const signatures = {
  GetErrorMessage: [2, 'const char* GetErrorMessage(void* status)'],
  CreateEnv: [3, 'void* CreateEnv(int level, const char* id, _Out_ void** out)'],
  CreateSessionFromArray: [
    8,
    'void* CreateSession(void* env, const void* model, size_t size, void* options, _Out_ void** out)',
  ],
  Run: [
    9,
    'void* Run(void* session, void* options, const char** inputNames, void** inputs, size_t inputCount, const char** outputNames, size_t outputCount, void** outputs)',
  ],
  CreateSessionOptions: [10, 'void* CreateSessionOptions(_Out_ void** out)'],
  DisableMemPattern: [17, 'void* DisableMemPattern(void* options)'],
  SetSessionGraphOptimizationLevel: [23, 'void* SetLevel(void* options, int level)'],
  SetIntraOpNumThreads: [24, 'void* SetThreads(void* options, int threads)'],
  CreateTensorWithDataAsOrtValue: [
    49,
    'void* CreateTensor(void* memory, void* data, size_t bytes, const int64_t* shape, size_t rank, int type, _Out_ void** out)',
  ],
  CreateCpuMemoryInfo: [69, 'void* CreateMemoryInfo(int allocator, int kind, _Out_ void** out)'],
  ReleaseStatus: [93, 'void ReleaseStatus(void* status)'],
  ReleaseSession: [95, 'void ReleaseSession(void* session)'],
  ReleaseValue: [96, 'void ReleaseValue(void* value)'],
  ReleaseSessionOptions: [100, 'void ReleaseSessionOptions(void* options)'],
} as const satisfies Record<string, readonly [number, string]>;

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
  const entry = koffi.load(libraryPath()).func('void* OrtGetApiBase()')() as unknown;
  const [getApi, getVersion] = koffi.decode(entry, koffi.array('void*', 2)) as [unknown, unknown];
  const found = koffi.decode(getVersion, koffi.proto('const char* RedefGetVersion()'))() as string;
  if (found !== version) throw unavailable(`ONNX Runtime is ${found}, the native driver is made for ${version}`);
  const api = koffi.decode(getApi, koffi.proto('void* RedefGetApi(uint32_t version)'))(1) as unknown;
  const table = koffi.decode(api, koffi.array('void*', 101)) as unknown[];
  const functions = Object.fromEntries(
    Object.entries(signatures).map(([name, [position, signature]]) => [
      name,
      koffi.decode(table[position], koffi.proto(signature.replace(/(\w+)\(/, 'Redef$1('))),
    ]),
  ) as Record<keyof typeof signatures, NativeFunction>;

  const check = (status: unknown): void => {
    if (!status) return;
    const message = functions.GetErrorMessage(status) as string;
    functions.ReleaseStatus(status);
    throw new Error(message);
  };
  const create = (name: keyof typeof signatures, ...args: unknown[]): Pointer => {
    const out: [Pointer | null] = [null];
    check(functions[name](...args, out));
    return out[0]!;
  };
  const fatalOnly = 4;
  const allOptimizations = 99;
  const arenaAllocator = 1;
  const defaultMemory = 0;

  return {
    createEnvironment: () => create('CreateEnv', fatalOnly, 'redef'),
    createMemoryInfo: () => create('CreateCpuMemoryInfo', arenaAllocator, defaultMemory),
    createSession: (environment, model, threads) => {
      const options = create('CreateSessionOptions');
      try {
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

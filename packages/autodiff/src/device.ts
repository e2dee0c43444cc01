import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RedefError } from '@redef/core';
import type { Driver } from './driver.js';
import { Graph } from './graph.js';
import type { Precision } from './half-precision.js';
import { createNativeDriver } from './native/driver.js';
import { createOnnxRuntimeDriver, type Provider } from './onnxruntime-driver.js';
import { add } from './ops/arithmetic.js';
import { matmul } from './ops/products.js';
import { Session } from './session.js';

/** Where graphs run. `auto`: CUDA where it works, else DirectML, else the CPU. */
export type Device = Provider | 'auto';

export interface DeviceOptions {
  /** Threads inside an op, on the CPU. Default: ONNX Runtime's choice, one for each physical core. */
  threads?: number;
  /** `float16` for mixed precision, on a device that gains by it: not the CPU. Default `float32`. */
  precision?: Precision;
}

/**
 * The driver for a device, tried on a small graph. On the CPU it is the native driver, or the official binding where
 * `koffi` is not installed.
 *
 * @throws `RedefError` `provider-unavailable`, whose remedy is the command that brings the provider
 */
export async function createDriver(device: Device, options: DeviceOptions = {}): Promise<Driver> {
  if (device === 'auto') {
    for (const provider of ['cuda', 'dml'] as const) {
      const driver = await createDriver(provider, options).catch(() => undefined);
      if (driver) return driver;
    }
    return createDriver('cpu', options);
  }
  if (!Object.hasOwn(remedies, device)) {
    throw new RedefError(`There is no device '${device}'`, {
      code: 'invalid-option',
      remedy: `Use ${Object.keys(remedies).join(', ')} or auto.`,
    });
  }
  if (options.precision !== 'float16')
    return tryOut(device, options, remedies[device](`${process.platform} ${process.arch}`));
  if (device === 'cpu') {
    throw new RedefError('The CPU gains nothing by half precision: ONNX Runtime would convert to single and back', {
      code: 'invalid-option',
      remedy: 'Leave the precision out, or use a device that has it: cuda, dml or webgpu.',
    });
  }
  await createDriver(device, { ...options, precision: 'float32' }); // says what is missing where that does not work either
  return tryOut(device, options, 'Leave the precision out: it works in float32.');
}

async function tryOut(device: Provider, options: DeviceOptions, remedy: string): Promise<Driver> {
  const driver =
    device === 'cpu' ? createCpuDriver(options) : createOnnxRuntimeDriver({ ...options, provider: device });
  const unavailable = (problem: string, cause?: unknown) => {
    const where = `Device '${device}' does not work here${options.precision === 'float16' ? ' in float16' : ''}`;
    return new RedefError(`${where}: ${problem}`, { code: 'provider-unavailable', remedy, cause });
  };
  const sum = await onePlusTwo(driver).catch((cause) => {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(message.replace(/^.* was false\. /s, ''), cause); // less the C++ of a failed assertion
  });
  if (sum !== 3) throw unavailable(`1 + 2 came to ${sum}`);
  return driver;
}

function createCpuDriver(options: DeviceOptions): Driver {
  try {
    return createNativeDriver(options);
  } catch (error) {
    if (RedefError.isInstance(error) && error.code === 'native-unavailable') return createOnnxRuntimeDriver(options);
    throw error;
  }
}

async function onePlusTwo(driver: Driver): Promise<number> {
  const x = new Graph().input('x', [1, 1]);
  const session = await Session.create({ outputs: { y: add(matmul(x, x), 2) }, driver });
  const { y } = await session.run({ x: 1 });
  await session.close();
  return Number(y[0]);
}

/** What brings a provider of onnxruntime-node to a platform. */
const remedies: Record<Provider, (platform: string) => string> = {
  cpu: () => 'Reinstall onnxruntime-node: npm install onnxruntime-node@1.27.0',
  cuda: (platform) =>
    platform === 'linux x64'
      ? `Fetch ONNX Runtime's CUDA libraries: ONNXRUNTIME_NODE_INSTALL=cuda12 node ${installScript()} - they need an NVIDIA GPU, CUDA 12 and cuDNN 9: apt-get install cuda-libraries-12-9 cudnn9-cuda-12 (from NVIDIA's repository).`
      : `onnxruntime-node has CUDA for Linux on x64 alone, not for ${platform}: use --device dml on Windows, --device webgpu or cpu elsewhere.`,
  dml: (platform) =>
    platform.startsWith('win32')
      ? 'Reinstall onnxruntime-node, which brings DirectML: npm install onnxruntime-node@1.27.0 - it needs Windows 10 1903 or later and a driver for DirectX 12.'
      : 'DirectML is a part of Windows: use --device cuda or webgpu on Linux, webgpu on a Mac.',
  webgpu: (platform) =>
    platform.startsWith('linux')
      ? 'Install the Vulkan loader: apt-get install libvulkan1 - and a Vulkan driver for the GPU, such as mesa-vulkan-drivers or nvidia-driver. On Linux, onnxruntime-node has WebGPU for x64 alone.'
      : 'Reinstall onnxruntime-node, which brings WebGPU: npm install onnxruntime-node@1.27.0 - and update the graphics driver.',
};

function installScript(): string {
  const root = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  return join(root, 'script', 'install.js');
}

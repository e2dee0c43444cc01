import { createOnnxRuntimeDriver, type Driver, Graph, multiply, Session } from '@redef/autodiff';
import { createNativeDriver } from '@redef/autodiff/native';
import { RedefError } from '@redef/core';

export type Device = 'cpu' | 'cuda' | 'webgpu' | 'dml' | 'auto';

/**
 * Makes a device ready and runs one multiplication on it. `auto` is the first that can of CUDA, DirectML and the CPU.
 *
 * @throws `RedefError` `provider-unavailable`, with the command that brings what is missing
 */
export async function openDevice(device: Device, threads?: number): Promise<Driver> {
  if (device === 'cpu') return cpuDriver(threads);
  if (device === 'auto') {
    for (const candidate of ['cuda', 'dml'] as const) {
      const open = await openDevice(candidate, threads).catch(() => undefined);
      if (open) return open;
    }
    return openDevice('cpu', threads);
  }
  const driver = createOnnxRuntimeDriver({ provider: device });
  try {
    const graph = new Graph();
    const session = await Session.create({ outputs: { y: multiply(graph.input('x', [1]), 2) }, driver });
    await session.run({ x: 1 });
    await session.close();
  } catch (cause) {
    throw new RedefError(`The device ${device} cannot be used: ${(cause as Error).message}`, {
      code: 'provider-unavailable',
      remedy: remedies[device],
      cause,
    });
  }
  return driver;
}

/** The faster driver where its optional dependency is installed; both give the same bits. */
function cpuDriver(threads?: number): Driver {
  const options = threads === undefined ? {} : { threads };
  try {
    return createNativeDriver(options);
  } catch (error) {
    if (RedefError.isInstance(error) && error.code === 'native-unavailable') return createOnnxRuntimeDriver(options);
    throw error;
  }
}

const remedies: Record<Exclude<Device, 'cpu' | 'auto'>, string> = {
  cuda: 'On Linux x64 with an NVIDIA driver, CUDA 12 and cuDNN 9, run `ONNXRUNTIME_NODE_INSTALL=cuda12 npm rebuild onnxruntime-node --ignore-scripts=false --foreground-scripts`; elsewhere use the device cpu.',
  dml: 'DirectML comes with onnxruntime-node on Windows; elsewhere use the device cpu.',
  webgpu:
    'On Linux it needs a Vulkan driver: `apt-get install libvulkan1 mesa-vulkan-drivers`, and on an NVIDIA GPU the driver of NVIDIA; or use the device cpu.',
};

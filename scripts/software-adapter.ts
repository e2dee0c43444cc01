import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const description = '/usr/lib/chromium/vk_swiftshader_icd.json';

/**
 * Chromium brings SwiftShader, a Vulkan adapter in software: what WebGPU is tested on where there is no GPU. To be called
 * before the first session; a driver that is named in the environment stays.
 */
export function useSoftwareAdapter(): void {
  if (!existsSync(description)) return;
  process.env.VK_DRIVER_FILES ??= description;
  process.env.VK_ICD_FILENAMES ??= description;
  process.env.XDG_RUNTIME_DIR ??= tmpdir();
}

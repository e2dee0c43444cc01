import { cpus, totalmem } from 'node:os';
import { packageVersions } from '../version.js';

/** Where a cell was run: what may tell why two machines differ in the last digits. */
export interface Environment {
  schema: 'redef.environment/1';
  node: string;
  platform: string;
  arch: string;
  cpu: string;
  cores: number;
  memoryGiB: number;
  versions: Readonly<Record<string, string>>;
}

export function environment(): Environment {
  const cores = cpus();
  return {
    schema: 'redef.environment/1',
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    versions: packageVersions,
  };
}

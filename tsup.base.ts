import { defineConfig, type Options } from 'tsup';

/** The one build of every package: ESM, CommonJS and types from the entries named. */
export const library = (options: Pick<Options, 'entry' | 'external' | 'noExternal'>) =>
  defineConfig({
    ...options,
    format: ['esm', 'cjs'],
    target: 'node20',
    platform: 'node',
    dts: true,
    clean: true,
    shims: true,
    sourcemap: true,
    splitting: true,
  });

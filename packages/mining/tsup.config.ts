import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'tsup';
import { library } from '../../tsup.base';

const { resolve } = createRequire(import.meta.url);

/**
 * The grammars' packages install 33 MB of sources and prebuilt binaries for a native parser that is not used here; the
 * two wasm files (4.1 MB, MIT) and their licences are all that is wanted of them, so they go into this package's build.
 */
async function copyGrammars(): Promise<void> {
  await mkdir('dist/grammars', { recursive: true });
  for (const name of ['tree-sitter-c', 'tree-sitter-cpp']) {
    const wasm = resolve(`${name}/${name}.wasm`);
    await copyFile(wasm, `dist/grammars/${name}.wasm`);
    await copyFile(join(dirname(wasm), 'LICENSE'), `dist/grammars/${name}.LICENSE`);
  }
}

export default defineConfig({ ...library({ entry: ['src/index.ts', 'src/worker.ts'] }), onSuccess: copyGrammars });

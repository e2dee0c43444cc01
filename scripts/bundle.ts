import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/**
 * Bundles a TypeScript file with the workspace's sources into one module that plain Node runs, for tests that kill a process,
 * and gives its path.
 */
export async function bundle(entry: string, outDir: string): Promise<string> {
  const packages = fileURLToPath(new URL('../packages/', import.meta.url));
  const runtime = createRequire(`${packages}autodiff/package.json`).resolve('onnxruntime-node');
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: {
      alias: readdirSync(packages).flatMap((name) => [
        { find: new RegExp(`^@redef/${name}/(.+)$`), replacement: `${packages}${name}/src/$1.ts` },
        { find: new RegExp(`^@redef/${name}$`), replacement: `${packages}${name}/src/index.ts` },
      ]),
    },
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      target: 'node20',
      minify: false,
      rollupOptions: {
        external: ['onnxruntime-node', '@huggingface/hub', '@duckdb/node-api'],
        output: { entryFileNames: 'bundle.mjs', format: 'es', paths: { 'onnxruntime-node': runtime } },
      },
    },
  });
  return `${outDir}/bundle.mjs`;
}

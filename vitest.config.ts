import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = fileURLToPath(new URL('./packages/', import.meta.url));

/** Tests read the sources of sibling packages, so that a change is seen without a build. */
const sources = readdirSync(packages).flatMap((name) => {
  const folder = `${packages}${name}/src/`;
  return existsSync(folder)
    ? [
        { find: new RegExp(`^@redef/${name}/(.+)$`), replacement: `${folder}$1.ts` },
        { find: new RegExp(`^@redef/${name}$`), replacement: `${folder}index.ts` },
      ]
    : [];
});

export default defineConfig({
  resolve: { alias: sources },
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'apps/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

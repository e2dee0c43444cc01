// Installed size of `npm i @redef/encoders` from packed tarballs, and whether anything in it runs at install.
//
//   pnpm --filter @redef/core --filter @redef/encoders build && node packages/encoders/bench/installed-size.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'redef-install-'));
const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  for (const name of ['core', 'encoders']) {
    run('npx', ['pnpm', 'pack', '--config.ignore-scripts=true', '--pack-destination', folder], join(packages, name));
  }
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs.map((name) => `./${name}`)],
    folder,
  );
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true }).map((name) =>
    join(folder, 'node_modules', name),
  );
  const sizes = files.map((file) => statSync(file)).filter((stat) => stat.isFile());
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  const scripts = files
    .filter((file) => file.endsWith('package.json'))
    .flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(file, 'utf8')).scripts ?? {})
        .filter((name) => /^(pre|post)?install$/.test(name))
        .map((name) => `${file}: ${name}`),
    );
  console.log(
    `${(bytes / 1e6).toFixed(2)} MB in ${sizes.length} files; install scripts: ${scripts.length === 0 ? 'none' : scripts.join(', ')}`,
  );
  for (const check of [
    "import { createEncoding } from '@redef/encoders'; console.log('import', createEncoding('diff-tags').name)",
    "const { createEncoding } = require('@redef/encoders'); console.log('require', createEncoding('diff-tags').name)",
  ]) {
    const kind = check.startsWith('import') ? 'module' : 'commonjs';
    process.stdout.write(run('node', [`--input-type=${kind}`, '-e', check], folder));
  }
} finally {
  rmSync(folder, { recursive: true });
}

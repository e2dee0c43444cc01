// Checks every package as its users get it: publint and attw on the tarball, then `npm i` of that tarball (with those of
// the siblings it needs) in an empty folder outside the repository, an ESM import and a require of every entry.
// Prints one line a check and ends with `N passed, N failed`.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'redef-packages-'));
const bin = (name) => join(root, 'node_modules', '.bin', name);

const packages = ['packages', 'apps'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => {
    const folder = join(root, kind, name);
    return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) };
  }),
);
const byName = new Map(packages.map((entry) => [entry.manifest.name, entry]));

let passed = 0;
let failed = 0;
async function check(title, work) {
  try {
    await work();
    passed++;
    console.log(`ok   ${title}`);
  } catch (error) {
    failed++;
    console.log(
      `FAIL ${title}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.stdout === undefined ? error.stack : ''}`,
    );
  }
}

/** The package and every sibling it depends on, directly or not. */
function closure(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const dependency of Object.keys(byName.get(name).manifest.dependencies ?? {})) {
    if (byName.has(dependency)) closure(dependency, seen);
  }
  return seen;
}

const atOnce = 3;

/** Works through the packages, a few at once. */
async function forEach(work) {
  const queue = [...packages];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let entry = queue.shift(); entry; entry = queue.shift()) await work(entry);
    }),
  );
}

await forEach(async (entry) => {
  const { folder, manifest } = entry;
  await check(`${manifest.name}: pack`, async () => {
    const pack = ['pack', '--json', '--pack-destination', scratch, '--config.ignore-scripts=true'];
    entry.tarball = JSON.parse((await run(bin('pnpm'), pack, { cwd: folder })).stdout).filename;
  });
  await check(`${manifest.name}: publint`, () => run(bin('publint'), [entry.tarball, '--strict'], { cwd: folder }));
  await check(`${manifest.name}: attw`, () =>
    run(bin('attw'), [entry.tarball, '--profile', 'node16'], { cwd: folder }),
  );
});

await forEach(async ({ manifest }) => {
  await check(`${manifest.name}: npm i, import, require`, async () => {
    const folder = mkdtempSync(join(scratch, 'user-'));
    const dependencies = Object.fromEntries(
      [...closure(manifest.name)].map((name) => [name, `file:${byName.get(name).tarball}`]),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await run('npm', ['i', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
    for (const entry of Object.keys(manifest.exports).filter((key) => key !== './package.json')) {
      const name = manifest.name + entry.slice(1);
      const probe = `if (Object.keys(m).length === 0) throw new Error('${name} exports nothing')`;
      await run(process.execPath, ['--input-type=module', '-e', `const m = await import('${name}'); ${probe}`], {
        cwd: folder,
      });
      await run(process.execPath, ['--input-type=commonjs', '-e', `const m = require('${name}'); ${probe}`], {
        cwd: folder,
      });
    }
    for (const name of Object.keys(manifest.bin ?? {})) {
      await run(join(folder, 'node_modules', '.bin', name), ['--version'], { cwd: folder });
    }
    rmSync(folder, { recursive: true });
  });
});

rmSync(scratch, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

// Whether renamed-identifiers keeps what C functions do: renames in every function of a project's files and compares the
// machine code that gcc makes of each file before and after.
//
//   pnpm --filter @redef/encoders build && node packages/encoders/bench/renaming.mjs <project> <folder in it> [gcc options]
//
// For example `libuv src/unix -Iinclude -Isrc -Isrc/unix -D_GNU_SOURCE`. Files that gcc does not compile as they are (other
// systems', other libraries') are passed over. A file fails where a macro uses a name of its caller unseen, which
// localNames says is beyond it. Needs gcc and objdump; writes only to a temporary folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createCounterfactual, renderLayout } from '@redef/encoders';

const [project, folder, ...options] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'redef-renaming-'));
const renamed = createCounterfactual('renamed-identifiers', { seed: 1, encoding: 'after-only' });

/** What gcc makes of a source that stands at `path`: instructions without addresses of data. Throws where it has errors. */
function machineCode(source, path) {
  const [file, object] = [join(scratch, 'file.c'), join(scratch, 'file.o')];
  writeFileSync(file, `#line 1 "${path}"\n${source}`, 'latin1');
  const quiet = { cwd: project, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] };
  const here = ['-iquote', dirname(path)];
  execFileSync('gcc', ['-c', '-O1', '-w', '-DNDEBUG', '-std=gnu11', ...here, ...options, file, '-o', object], quiet);
  return execFileSync('objdump', ['-d', object], quiet);
}

/** The source with its functions renamed in: from a line at the margin with `{` at its end, or one before `{`, to `}`. */
function rename(source, name) {
  const counts = { functions: 0, changed: 0 };
  const text = source.replace(/^[A-Za-z_][^\n;{}]*\)(?:[^\n;{}]*\n)?\s*\{\n[\s\S]*?^\}/gm, (body, at) => {
    const change = { id: `${name}:${at}`, function_before: body, function_after: body };
    const [made] = renderLayout(renamed.layout(change, 'test'));
    counts.functions++;
    if (made !== body) counts.changed++;
    return made;
  });
  return { text, ...counts };
}

const total = { files: 0, passedOver: 0, functions: 0, renamed: 0, failed: [] };
try {
  for (const name of readdirSync(join(project, folder)).sort()) {
    if (!name.endsWith('.c')) continue;
    const path = resolve(project, folder, name);
    const source = readFileSync(path, 'latin1');
    let expected;
    try {
      expected = machineCode(source, path);
    } catch {
      total.passedOver++;
      continue;
    }
    const { text, functions, changed } = rename(source, name);
    total.files++;
    total.functions += functions;
    total.renamed += changed;
    try {
      if (machineCode(text, path) !== expected) total.failed.push(`${name}: other instructions`);
    } catch (error) {
      total.failed.push(`${name}: ${/error: .*/.exec(error.stderr)?.[0]}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true });
}
console.log(total);

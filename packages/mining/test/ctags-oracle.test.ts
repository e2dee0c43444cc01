import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { languageOf } from '../src/functions/language.js';
import { scanFunctions } from '../src/functions/scanner.js';

// Real files that a checkout has at hand: Node's own headers (V8, OpenSSL, libuv) and the C sources of installed packages.
// REDEF_ORACLE_FILES names a folder of others: `git archive HEAD | tar x -C folder` of any project.
const { resolve } = createRequire(import.meta.url);
const folders = process.env.REDEF_ORACLE_FILES
  ? [process.env.REDEF_ORACLE_FILES]
  : [
      join(dirname(dirname(process.execPath)), 'include', 'node'),
      dirname(resolve('tree-sitter-c/package.json')),
      dirname(resolve('tree-sitter-cpp/package.json')),
    ];

const installed = /Universal Ctags/.test(spawnSync('ctags', ['--version'], { encoding: 'utf8' }).stdout ?? '');
if (!installed)
  console.warn('SKIPPED: the oracle test of the function scanner, since universal-ctags is not installed');

function sources(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:c|h|cc|cpp|hpp)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

interface Tag {
  path: string;
  name: string;
  line: number;
  end?: number;
}

function ctags(files: readonly string[], language: 'C' | 'C++'): Map<string, Tag[]> {
  const args = [
    '--options=NONE',
    '--output-format=json',
    `--language-force=${language}`,
    '--kinds-C=f',
    '--kinds-C++=f',
    '--fields=+ne',
    '-L',
    '-',
    '-f',
    '-',
  ];
  const output = execFileSync('ctags', args, {
    input: files.join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const tags = new Map<string, Tag[]>();
  for (const line of output.split('\n')) {
    if (line === '') continue;
    const tag = JSON.parse(line) as Tag & { _type: string };
    // lambdas, which are part of the function around them here
    if (tag._type !== 'tag' || tag.name.startsWith('__anon')) continue;
    tags.set(tag.path, [...(tags.get(tag.path) ?? []), tag]);
  }
  return tags;
}

test.skipIf(!installed)(
  'agrees with universal-ctags on the last line of the functions that both find',
  { timeout: 300_000 },
  () => {
    const byLanguage = { c: [] as string[], cpp: [] as string[] };
    for (const file of folders.flatMap(sources)) byLanguage[languageOf(file, readFileSync(file))].push(file);
    let agreed = 0;
    const differ: string[] = [];
    let missed = 0;
    for (const language of ['c', 'cpp'] as const) {
      for (const [file, tags] of ctags(byLanguage[language], language === 'c' ? 'C' : 'C++')) {
        const { functions } = scanFunctions(readFileSync(file), language);
        for (const { name, line, end } of tags) {
          const around = functions.find(({ startLine, endLine }) => startLine <= line && line <= endLine);
          if (!around) missed++;
          else if (!around.name.includes(name.replace(/^operator\s+/, 'operator ')))
            continue; // nested in another, or named after a macro
          else if (around.endLine === end) agreed++;
          else differ.push(`${file}:${line} ${name}: ${end} there, ${around.endLine} here`);
        }
      }
    }
    console.info(`ctags oracle: ${agreed} agree, ${differ.length} differ, ${missed} found by ctags alone`);
    expect(agreed).toBeGreaterThan(500);
    expect(differ.length / agreed, differ.slice(0, 10).join('\n')).toBeLessThan(0.005);
    expect(missed / agreed).toBeLessThan(0.02);
  },
);

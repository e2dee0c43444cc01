// Mines histories and prints what each stage saw, kept and dropped, as a table with a column for each. Build first, then:
//   node packages/mining/bench/counts.mjs NAME=REPOSITORY... [--index FOLDER] [--all-clean]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mineCandidates } from '../dist/index.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { index: { type: 'string' }, 'all-clean': { type: 'boolean', default: false } },
});
if (positionals.length === 0) throw new Error('usage: counts.mjs NAME=REPOSITORY... [--index FOLDER] [--all-clean]');

const columns = [];
for (const source of positionals) {
  const [project, path] = source.split(/=(.*)/s);
  const index = values.index === undefined ? {} : { index: join(values.index, project) };
  const rows = mineCandidates(path, { project, allClean: values['all-clean'], ...index });
  let next = await rows.next();
  while (!next.done) next = await rows.next();
  const { commits, counts } = next.value;
  columns.push({ project, counts: flat({ commits, ...counts }) });
}

/** Nested counts by `group.name`. */
function flat(counts, prefix = '') {
  return Object.entries(counts).flatMap(([name, value]) =>
    typeof value === 'number' ? [[prefix + name, value]] : flat(value, `${prefix}${name}.`),
  );
}

const names = [...new Set(columns.flatMap(({ counts }) => counts.map(([name]) => name)))];
const groups = names.map((name) => name.split('.')[0]);
names.sort((a, b) => groups.indexOf(a.split('.')[0]) - groups.indexOf(b.split('.')[0]) || (a < b ? -1 : 1));
const line = (cells) => console.log(`| ${cells.join(' | ')} |`);
line(['', ...columns.map(({ project }) => project)]);
line(['---', ...columns.map(() => '---:')]);
for (const name of names) line([name, ...columns.map(({ counts }) => new Map(counts).get(name) ?? 0)]);

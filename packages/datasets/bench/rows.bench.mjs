// Reading and writing against the tools alone, on generated functions: node bench/rows.bench.mjs [rows] [folder]
// Build first. Each measure runs in a process of its own, so that peak memory is its own. The default, 500,000 rows of
// 2 KB, needs about 3 GB in the folder.
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';
import { readRows, writeRows } from '../dist/index.js';

const lines = [
  '    if (buf == NULL) {',
  '        return -1;',
  '    for (i = 0; i < n; i++)',
  '    memcpy(dst, src, len);',
  '    }',
  '    printf("%s, %d\\n", name, value);',
];

function* functions(rows) {
  const rng = createRng('bench');
  for (let id = 0; id < rows; id++) {
    const text = (seed) => {
      let body = `int f${seed}(void)\n{\n`;
      while (body.length < 1000) body += `${lines[rng.integer(lines.length)]}\n`;
      return `${body}}\n`;
    };
    yield { id, project: 'p', label: id % 2, function_before: text(id), function_after: text(id + 1) };
  }
}

async function count(rows) {
  let n = 0;
  for await (const _ of rows) n++;
  return n;
}

async function duckDb(sql) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' })).connect();
  let n = 0;
  const result = await connection.stream(sql);
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    n += chunk.getRows().length;
  }
  return n;
}

const measures = {
  'write csv': (_, folder, rows) => writeRows(join(folder, 'b.csv'), functions(rows)),
  'write jsonl': (_, folder, rows) => writeRows(join(folder, 'b.jsonl'), functions(rows)),
  'write parquet': (_, folder, rows) => writeRows(join(folder, 'b.parquet'), functions(rows)),
  'generate only': (_, __, rows) => count(functions(rows)),
  'read csv': (_, folder) => count(readRows(join(folder, 'b.csv'))),
  'csv-parse alone': async (_, folder) => {
    const { parse } = await import('csv-parse');
    return count(createReadStream(join(folder, 'b.csv'), { highWaterMark: 1 << 18 }).pipe(parse({ columns: true })));
  },
  'duckdb csv scan': (_, folder) => duckDb(`SELECT * FROM read_csv('${join(folder, 'b.csv')}', all_varchar = true)`),
  'read jsonl': (_, folder) => count(readRows(join(folder, 'b.jsonl'))),
  'duckdb json scan': (_, folder) => duckDb(`SELECT * FROM read_json('${join(folder, 'b.jsonl')}')`),
  'read parquet': (_, folder) => count(readRows(join(folder, 'b.parquet'))),
  'duckdb parquet scan': (_, folder) => duckDb(`SELECT * FROM '${join(folder, 'b.parquet')}'`),
};

const [, , rows = '500000', folder = join(tmpdir(), 'redef-bench-rows'), name] = process.argv;
if (name) {
  const start = process.cpuUsage();
  const wall = performance.now();
  const n = await measures[name](name, folder, Number(rows));
  const { user, system } = process.cpuUsage(start);
  const seconds = (performance.now() - wall) / 1000;
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ n, seconds, cpu: (user + system) / 1e6, peakMiB }));
} else {
  mkdirSync(folder, { recursive: true });
  const found = {};
  for (const measure of Object.keys(measures)) {
    const line = execFileSync(process.execPath, [fileURLToPath(import.meta.url), rows, folder, measure], {
      encoding: 'utf8',
    });
    const { n, seconds, cpu, peakMiB } = JSON.parse(line);
    found[measure] = { seconds, cpu };
    console.log(
      `${measure.padEnd(20)} ${(n / seconds).toFixed(0).padStart(8)} rows/s  ${seconds.toFixed(1).padStart(6)} s  ` +
        `${cpu.toFixed(1).padStart(6)} s cpu  peak ${peakMiB.toFixed(0)} MiB`,
    );
  }
  const ratio = (a, b) => `${(found[a].cpu / found[b].cpu).toFixed(2)} of its processor time`;
  console.log(`read csv     against csv-parse alone:     ${ratio('read csv', 'csv-parse alone')}`);
  console.log(`read csv     against DuckDB's own scan:   ${ratio('read csv', 'duckdb csv scan')}`);
  console.log(`read jsonl   against DuckDB's own scan:   ${ratio('read jsonl', 'duckdb json scan')}`);
  console.log(`read parquet against DuckDB's own scan:   ${ratio('read parquet', 'duckdb parquet scan')}`);
  for (const file of ['b.csv', 'b.jsonl', 'b.parquet']) {
    console.log(`${file} ${(statSync(join(folder, file)).size / 1e6).toFixed(0)} MB`);
  }
  rmSync(folder, { recursive: true });
}

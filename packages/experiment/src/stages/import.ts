import { Counter } from '@redef/core';
import { readRows } from '@redef/datasets';
import { importResults } from '../import-results.js';
import { reportFiles, writeFiles } from '../report/write-report.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

/** Writes the report of results that others published per seed: see {@link importResults} for the table's columns. */
export async function importStage(
  { table, out }: { table: string; out: string },
  options: StageOptions = {},
): Promise<StageResult> {
  return runStage(
    {
      name: 'import',
      folder: out,
      inputFiles: { table },
      config: {},
      run: async ({ signal }) => {
        const ignored = new Counter();
        const results = await importResults(readRows(table, signal ? { signal } : {}), {
          onIgnored: (metric) => ignored.add(metric === '' ? 'no metric named' : `metric ${metric}`),
        });
        const { length } = results.cells;
        const outputs = await writeFiles(out, await reportFiles(results));
        return { outputs, counts: { in: length + ignored.total, kept: length, dropped: ignored.toJSON() } };
      },
    },
    options,
  );
}

import { resolve } from 'node:path';
import { describePlace, readPlacedRows } from '@redef/datasets';
import { type RepairTruth, readTruths, type ScoreRow } from '@redef/repair';
import type { CliContext } from './context.js';

/** The rows of a table, which `-` names standard input for, with their places. */
export async function* openRows(cli: CliContext, path: string): AsyncGenerator<ScoreRow, void, undefined> {
  const source = path === '-' ? cli.stdin : resolve(cli.cwd, path);
  const name = path === '-' && { name: 'standard input' };
  for await (const { row, ...place } of readPlacedRows(source, { signal: cli.signal, ...name })) {
    yield { row, place: describePlace(place) };
  }
}

/** The samples of one or several tables, one by one. Ids of several tables get the table's number before them. */
export async function* openSamples(
  cli: CliContext,
  paths: readonly string[],
): AsyncGenerator<RepairTruth, void, undefined> {
  for (const [index, path] of paths.entries()) {
    for await (const sample of readTruths(openRows(cli, path))) {
      yield paths.length > 1 ? { ...sample, id: `${index + 1}:${sample.id}` } : sample;
    }
  }
}

/** {@link openSamples}, in memory. */
export async function readSamples(cli: CliContext, paths: readonly string[]): Promise<RepairTruth[]> {
  const samples: RepairTruth[] = [];
  for await (const sample of openSamples(cli, paths)) samples.push(sample);
  return samples;
}

import { resolve } from 'node:path';
import { pruneStore, studyFolder } from '@redef/experiment';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';

export const pruneCommand = (cli: CliContext): Command =>
  new Command('prune')
    .description('list the cells of a store that no study asks for; name every study that uses the store')
    .argument('<studies...>', 'the folders of redef study')
    .option('--remove', 'take them away')
    .option('--json', 'print them as JSON')
    .action(async (folders: string[], { remove, json }: { remove?: true; json?: true }) => {
      const studies = folders.map((folder) => studyFolder(resolve(cli.cwd, folder)));
      const unused = await pruneStore(studies, remove && { remove });
      if (json) return print(cli, JSON.stringify(unused, null, 2));
      for (const { key, engine = 'damaged', seed, bytes } of unused) {
        print(cli, `${key}  ${engine}${seed === undefined ? '' : `, seed ${seed}`}, ${megabytes(bytes)}`);
      }
      const all = `${unused.length} cells, ${megabytes(unused.reduce((sum, { bytes }) => sum + bytes, 0))}`;
      print(cli, remove || unused.length === 0 ? `removed: ${all}` : `${all}: add --remove to take them away`);
    });

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

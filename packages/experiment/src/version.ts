import { createRequire } from 'node:module';
import { version } from '../package.json';

export { version };

const load = createRequire(import.meta.url);
const chain = [
  'core',
  'mining',
  'triage',
  'encoders',
  'dedup',
  'datasets',
  'stats',
  'training',
  'models',
  'autodiff',
  'repair',
];

/** Of the packages whose code decides what a study writes, as they are installed. */
export const packageVersions: Readonly<Record<string, string>> = {
  '@redef/experiment': version,
  ...Object.fromEntries(chain.map((name) => [`@redef/${name}`, load(`@redef/${name}/package.json`).version])),
};

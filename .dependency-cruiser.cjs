// Arrows run one way: core and stats at the bottom, siblings that meet only at records, experiment above, the app on top.
const siblings = ['datasets', 'mining', 'triage', 'encoders', 'dedup', 'autodiff', 'models', 'training', 'repair'];
const mayUse = {
  core: [],
  stats: ['core'],
  datasets: ['core'],
  mining: ['core'],
  triage: ['core'],
  encoders: ['core'],
  dedup: ['core'],
  autodiff: ['core'],
  models: ['core', 'autodiff'],
  training: ['core', 'stats', 'autodiff', 'models'],
  repair: ['core', 'autodiff', 'models', 'training'],
  experiment: ['core', 'stats', ...siblings],
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment:
        'the gradient of a sum is a broadcast and that of a broadcast a sum: the ops of autodiff may name each other',
      from: { pathNot: '^packages/autodiff/src/ops/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(mayUse).map(([name, allowed]) => ({
      name: `${name}-may-use-only-${['itself', ...allowed].join('-')}`,
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: { path: '^(packages|apps)/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
    })),
    {
      name: 'tools-stay-out-of-the-library',
      comment: 'src ships; what it imports must be a declared dependency',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/', pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer', 'npm-optional', 'type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.turbo)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};

/** Which way imports go: core ← statemachines ← store, bus, machines, plugins ← orchestration ← functions, views, api ← infra, cli, local. */
const LAYERS = [
  ['core'],
  ['statemachines', 'graph'],
  ['store', 'bus', 'machines', 'plugins'],
  ['orchestration'],
  ['views', 'functions', 'api'],
  ['files', 'infra', 'local', 'cli'],
];

const folder = (names) => `^(${names.join('|')})/`;

module.exports = {
  forbidden: [
    ...LAYERS.map((names, index) => ({
      name: `${names[0]}-imports-downwards`,
      comment: `${names.join(', ')} may not import from what is built on it`,
      severity: 'error',
      from: { path: folder(names) },
      to: {
        path: folder(
          LAYERS.slice(index + 1)
            .flat()
            .concat('never'),
        ),
      },
    })),
    {
      name: 'core-is-pure',
      comment: 'the core knows no AWS, no file system, no network and no process; hashing is arithmetic',
      severity: 'error',
      from: { path: '^core/' },
      to: {
        dependencyTypes: ['core', 'npm'],
        pathNot: '^(node:)?crypto$|node_modules/(zod|yaml|re2js)/',
      },
    },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: { pathNot: '^(test|bench|conformance|scripts)/' },
      to: { path: '^(test|bench|conformance|scripts)/' },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|cdk.out|node_modules/.cache)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

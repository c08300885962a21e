/** Who may import whom; docs/internals/architecture.md says what each room is. `npm run check` enforces it. */
const everything = ['wasm', 'packages/[^/]+', 'apps/[^/]+', 'benchmarks'];
export const rooms = {
  wasm: [],
  'packages/protocol': [],
  'packages/core': ['wasm'],
  'packages/face-models': ['packages/core'],
  'packages/synthetic-faces': [],
  'packages/face-engine': ['packages/core', 'packages/face-models'],
  'packages/server-sdk': ['packages/protocol'],
  'packages/device-sdk': ['packages/protocol', 'packages/core', 'packages/face-engine'],
  // Its types are compared with the device's, which it does not load.
  'packages/device-sdk-native': ['packages/device-sdk'],
  'packages/device-sdk-react-native': ['packages/device-sdk-native'],
  // An adapter puts the parts together for its platform, so it also names the parts.
  'packages/durable-fs': [],
  'packages/device-sdk-node': [
    'packages/device-sdk',
    'packages/durable-fs',
    'packages/core',
    'packages/face-engine',
    'packages/face-models',
  ],
  'packages/capture-web': ['packages/core'],
  'packages/device-sdk-web': [
    'packages/device-sdk',
    'packages/device-sdk-native',
    'packages/capture-web',
    'packages/core',
    'packages/face-engine',
    'packages/face-models',
  ],
  'packages/page-kit': [],
  'packages/ui': ['packages/page-kit'],
  'apps/kiosk': [
    'packages/ui',
    'packages/page-kit',
    'packages/capture-web',
    'packages/device-sdk-web',
    'packages/device-sdk',
    'packages/core',
    'packages/protocol',
  ],
  'apps/widget': [
    'packages/ui',
    'packages/page-kit',
    'packages/protocol',
    'packages/capture-web',
    'packages/core',
    'packages/face-engine',
    'packages/face-models',
  ],
  'apps/dashboard': ['packages/page-kit', 'packages/protocol'],
  'apps/manual': ['packages/page-kit'],
  'apps/api': [
    'packages/protocol',
    'packages/durable-fs',
    'packages/core',
    'packages/face-models',
    'packages/face-engine',
  ],
  'apps/cli': everything,
  'apps/e2e': everything,
  // The CLI and the journeys measure with its inputs and statistics.
  benchmarks: ['wasm', 'packages/[^/]+', 'apps/(api|dashboard|kiosk|widget)'],
};
/** Tests and what only tests need. */
export const test = ['\\.test\\.tsx?$', '/testing/'];

/** Packages whose folders may name each other's types in a circle; what runs has none. */
export const typeCircles = [
  'apps/api',
  'apps/kiosk',
  'packages/device-sdk',
  'packages/device-sdk-native',
  'packages/face-models',
  'packages/protocol',
  'packages/synthetic-faces',
];

/** Rooms that may import the public entry points of everything have no rule of their own. */
const roomRules = Object.entries(rooms)
  .filter(([, allowed]) => allowed !== everything)
  .map(([room, allowed]) => ({
    name: `room:${room.split('/').pop()}`,
    comment: `${room} may import ${allowed.length === 0 ? 'nothing of ours' : allowed.join(', ')}`,
    from: { path: `^${room}/` },
    to: { path: `^(${everything.join('|')})/`, pathNot: [room, ...allowed].map((path) => `^${path}/`) },
  }));

/** Folders of the dashboard: each may import those before it, types included. */
const dashboardFolders = ['text', 'api', 'components', 'features', 'app'];
const dashboardRules = dashboardFolders.slice(0, -1).map((folder, at) => ({
  name: `dashboard:${folder}`,
  from: { path: `^apps/dashboard/src/${folder}/`, pathNot: test },
  to: { path: `^apps/dashboard/src/(${dashboardFolders.slice(at + 1).join('|')})/` },
}));

/** Folders of the API: each may import those before it; a type may be named from anywhere. */
const apiFolders = [
  ...['config', 'platform', 'tracing', 'metrics', 'db', 'crypto', 'inference', 'jobs', 'http', 'features', 'compose'],
  'doctor',
];
const apiRules = apiFolders.slice(0, -1).map((folder, at) => ({
  name: `api:${folder}`,
  from: { path: `^apps/api/src/${folder}/`, pathNot: test },
  to: {
    path: `^apps/api/src/(${apiFolders.slice(at + 1).join('|')})/`,
    pathNot: test,
    dependencyTypesNot: ['type-only'],
  },
}));

/** The others, by name. */
const rules = {
  'no-circles': {
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  'public-entry-points-only': {
    comment:
      'another package is imported by its name, never by a path into it; Node finds no source by a name in a vitest.config.ts, nor before a build in what writes the contract of the native shells',
    from: {
      path: '^((?:packages|apps)/[^/]+|wasm|benchmarks)/',
      pathNot: ['/vitest\\.config\\.m?ts$', '^packages/device-sdk-native/scripts/contract\\.ts$'],
    },
    to: { path: `^(${everything.join('|')})/`, pathNot: '^$1/', dependencyTypes: ['local'] },
  },
  'protocol-needs-zod-alone': {
    from: { path: '^packages/protocol/src/', pathNot: test },
    to: { dependencyTypes: ['npm', 'npm-dev', 'npm-peer', 'core'], pathNot: '/zod/' },
  },
  'portable-packages-know-no-node': {
    comment: 'only entry points and folders named node may touch node: modules',
    from: {
      path: '^packages/(core|face-models|face-engine|capture-web|device-sdk|device-sdk-native|device-sdk-react-native|device-sdk-web|page-kit|server-sdk|protocol)/src/',
      pathNot: [
        ...test,
        '/node\\.ts$',
        '/node/',
        '/build/',
        '^packages/device-sdk-react-native/src/expo/',
        '^packages/device-sdk-web/src/assets/',
      ],
    },
    to: { dependencyTypes: ['core'] },
  },
  'loader-imports-only-messages': {
    comment: 'what runs in an organiser’s page is written by hand: no package, and nothing of the page in the frame',
    from: { path: '^apps/widget/src/loader/', pathNot: test },
    to: { pathNot: '^apps/widget/src/(loader|embed)/' },
  },
  'only-stores-know-knex': {
    from: {
      path: '^apps/api/src/',
      pathNot: ['^apps/api/src/db/', 'store\\.ts$', ...test],
    },
    to: { path: 'node_modules/(knex|pg)/' },
  },
  'features-know-no-http': {
    comment: 'a request is mapped in routes.ts, to calls that know none',
    from: { path: '^apps/api/src/features/', pathNot: ['/(routes|handlers)\\.ts$', ...test] },
    to: { path: ['node_modules/express', '^apps/api/src/http/'] },
  },
  'stores-know-no-http': {
    from: { path: '^apps/api/src/(?!features/).*(service|store)\\.ts$' },
    to: { path: ['node_modules/express', '^apps/api/src/http/'] },
  },
  'http-knows-no-feature': {
    comment: 'what it needs of a feature comes in as a port',
    from: { path: '^apps/api/src/http/', pathNot: test },
    to: { path: '^apps/api/src/features/' },
  },
  'features-keep-their-stores': {
    comment: 'another feature’s store comes in as an argument: of its module only types are imported',
    // One statement that locks the list and counts its bill reads the columns of both.
    from: { path: '^apps/api/src/features/([^/]+)/', pathNot: [...test, '/people/enrolment-store\\.ts$'] },
    to: {
      path: '^apps/api/src/features/.*store\\.ts$',
      pathNot: '^apps/api/src/features/$1/',
      dependencyTypesNot: ['type-only'],
    },
  },
  'migrations-import-nothing': {
    from: { path: '^apps/api/src/db/(key-)?migrations[./]', pathNot: 'migrations/index\\.ts$' },
    to: { dependencyTypesNot: ['type-only'] },
  },
  'no-test-code-in-products': {
    from: { pathNot: [...test, '^apps/e2e/', '^benchmarks/', '\\.config\\.ts$'] },
    to: { path: test },
  },
  'no-orphan-names': {
    comment: 'cannot be resolved',
    from: {},
    to: { couldNotResolve: true, pathNot: '^(vitest/config|vitest|tsup|benny)$|\\.wasm[?]url$|/generated/en\\.json$' },
  },
};

const named = Object.entries(rules).map(([name, rule]) => ({ name, ...rule }));

export default {
  forbidden: [...roomRules, ...apiRules, ...dashboardRules, ...named].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.types|node_modules/.cache)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['svc-source', 'import', 'types', 'node', 'default', 'require'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
    moduleSystems: ['es6', 'cjs'],
  },
};

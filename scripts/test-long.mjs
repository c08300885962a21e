// `npm run test:long`: tests too slow for every run. Each campaign runs even if one before it failed; at the end it tells
// how long each took.
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFromDebian, isDebianRoot } from './lib/debian.mjs';
import { documentedCommands, PLACEHOLDERS } from './lib/documented-commands.mjs';
import { buildFormerRelease, formerRelease } from './lib/former-release.mjs';
import { installNode, NODE_LINES } from './lib/node-lines.mjs';
import { pnpm, root, run, SetupError, script, turbo } from './lib/setup.mjs';
import { setupForTests } from './lib/test-tools.mjs';

const hasPgBouncer = () =>
  ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].some(existsSync);

const soffice = '/usr/bin/soffice';
const softHsm = '/usr/lib/softhsm/libsofthsm2.so';

/** What renders the chart where Helm is missing: Go and two of the libraries that Helm is made of. */
const renderer = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-github-ghodss-yaml-dev'];

/**
 * The test files of a package whose path contains one of `files`, which are all without them.
 * @type {readonly (readonly [name: string, workspace: string, files: string, env?: Record<string, string>])[]}
 */
const ofVitest = [
  ['the API: 15 rounds of each race', 'api', 'src/testing/robustness/races', { RACE_ROUNDS: '15' }],
  [
    'the API: killed at 40 instants, its database at 15',
    ...['api', 'src/testing/robustness/crash'],
    { CRASH_API_INSTANTS: '40', CRASH_DATABASE_INSTANTS: '15' },
  ],
  [
    'the API: a hundred requests at once with one key, of every operation',
    'api',
    'idempotency/idempotency',
    { ALL: '1' },
  ],
  ['the API: 40,000 requests made of its document', 'api', 'openapi.fuzz', { API_FUZZ_REQUESTS: '40000' }],
  ['packs and envelopes: 300,000 hostile inputs', 'core', 'src/pack', { FUZZ_RUNS: '300000' }],
  [
    'sync: a list of 100,000, whole to four devices at once',
    ...['api', 'src/features/sync/sync.e2e', { SYNC_RECORDS: '100000' }],
  ],
  [
    'sync: 200 random histories of a list, changes against the whole pack',
    ...['e2e', 'src/sync/deltas', { DELTA_HISTORIES: '200', PROPERTY_SEED: 'random' }],
  ],
  ['what the role that serves may do, on PostgreSQL 15 and 17', 'api', 'src/db/roles', { ROLES: '15 17' }],
  ['consent ledger: an export of 100,000 entries', 'api', 'consents/ledger.test.ts', { LEDGER_ENTRIES: '100000' }],
  ...['core', 'protocol', 'device-sdk', 'server-sdk', 'ui', 'widget', 'kiosk', 'dashboard'].map((workspace) => [
    `properties of ${workspace}: cases that no run has tried before`,
    ...[workspace, '', { PROPERTY_SEED: 'random' }],
  ]),
  ['properties of the API: cases that no run has tried before', 'api', 'property turns', { PROPERTY_SEED: 'random' }],
  [
    'the contract of native shells: 100,000 messages that were changed at one place',
    ...['device-sdk-native', 'src/vectors.test.ts', { CONTRACT_CHANGES: '100000', PROPERTY_SEED: 'random' }],
  ],
  ['native shells: unit tests in Kotlin', ...['device-sdk-react-native', 'src/android', { SHELLS: '1' }]],
  ['the page of native shells: a hostile shell at every message', 'device-sdk-web', 'src/native', { NATIVE_ALL: '1' }],
  ['the widget’s guidance: thirty rendered people, all public portraits', 'e2e', 'src/widget', { WIDGET_ALL: '1' }],
  [
    'memory: searched after attempts and enrolments; its growth over 200 attempts',
    ...['e2e', 'src/memory', { MEMORY_ATTEMPTS: '200' }],
  ],
  ['an evening of 3,000 guests at six doors', 'e2e', 'src/simulation/evening', { EVENING_GUESTS: '3000' }],
  [
    'devices, service and network: 500 simulated histories that no run has tried before',
    ...['e2e', 'src/simulation', { HISTORIES: '500', PROPERTY_SEED: 'random' }],
  ],
  [
    'benchmarks: every case of every suite, small loads, rates over many people, the networks against their originals',
    ...['benchmarks', 'speed/suites load research', { ALL: '1' }],
  ],
  ['the demos: 2,000 guests; interrupted, by signals and by the end of their parent', 'e2e', 'src/demo', { DEMO: '1' }],
  ['the door of the examples: installed by npm', 'e2e', 'src/examples', { EXAMPLES: 'installed' }],
  ['a standby of the database: promoted under load', 'e2e', 'src/standby', { STANDBY: '1' }],
].map(([name, workspace, files, env = {}]) => [name, () => vitest(workspace, files, env)]);

/**
 * Types every command of the documents that no other program runs into a fresh clone, each to its end.
 * SVC_TEST_COMMANDS: a part of those to type.
 */
function typeDocumentedCommands() {
  const place = mkdtempSync(join(tmpdir(), 'svc-commands-'));
  const clone = join(place, 'svc');
  const failed = [];
  try {
    run('git', ['clone', '-q', root, clone]);
    if (existsSync(join(root, '../shared'))) symlinkSync(join(root, '../shared'), join(place, 'shared'));
    for (const [name, { in: folder, as = name }] of Object.entries(documentedCommands)) {
      if (folder === undefined || !name.includes(process.env.SVC_TEST_COMMANDS ?? '')) continue;
      const line = as.replace(/ENGINE|FOLDER/g, (name) => PLACEHOLDERS[name]);
      process.stdout.write(`\n${folder}$ ${line}\n`);
      try {
        run('bash', ['-euo', 'pipefail', '-c', line], { cwd: join(clone, folder) });
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        failed.push(name);
      }
    }
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
  if (failed.length > 0) throw new SetupError(`failed: ${failed.join('; ')}`);
}

/** Folders of apps/e2e whose tests in a browser are all run. */
const ofBrowser = [
  ['the kiosk: every test in Chromium', 'src/kiosk'],
  ['the page of native shells at the door, its renderer ended during an attempt', 'src/native'],
  ['the widget: every test in Chromium, every step in every look', 'src/widget'],
  ['a device in a page, also in a browser of 2021 without SIMD', 'src/web'],
  ['the dashboard: every page in every state, light and dark', 'src/dashboard'],
  ['guest, door and organiser in Chromium, Firefox and WebKit, and how long each step takes', 'src/engines'],
  ['the ticket shops: installed by npm with the packed client, Next.js built', 'src/examples'],
].map(([name, folder]) => {
  const env = { SVC_TEST_EXAMPLES: 'installed' };
  return [name, () => pnpm(['--filter', '@svc/e2e', 'run', 'test:browser', folder], { env })];
});

/** @param env settings of tests, without `SVC_TEST_` */
function vitest(workspace, files, env) {
  const settings = Object.fromEntries(Object.entries(env).map(([name, value]) => [`SVC_TEST_${name}`, value]));
  const paths = files.split(' ').filter((path) => path !== '');
  pnpm(['--filter', `@svc/${workspace}`, 'exec', 'vitest', 'run', ...paths], { env: settings });
}

/** The installed packages and the artefact, under another Node than this one. */
function tryUnder(version) {
  const bin = installNode(version);
  const under = (args, cwd) => run(join(bin, 'node'), args, { cwd, env: { PATH: `${bin}:${process.env.PATH}` } });
  under(['scripts/check-tarballs.mjs']);
  under([join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'src/packaged'], join(root, 'apps/e2e'));
}

/** A release packed without the net has the models that are there. */
const asInstalled = { env: { SVC_MODELS: 'built-in' } };

const campaigns = [
  [
    'a release rehearsed: the packages published on loopback, and run in ten kinds of project under three Nodes',
    () => run('npm', ['run', 'release', '--', '--rehearse']),
  ],
  ...NODE_LINES.map((version) => [`Node ${version}: packages and artefact`, () => tryUnder(version)]),
  [
    'the API: every end-to-end test on two nodes, with PgBouncer in transaction mode before the database',
    () => {
      if (!hasPgBouncer()) process.stdout.write('skipped: no pgbouncer; the nodes are connected directly\n');
      pnpm(['--filter', '@svc/api', 'exec', 'vitest', 'run', '--config', 'vitest.nodes.config.ts'], {
        env: { SVC_TEST_ALL: '1', ...(hasPgBouncer() && { SVC_TEST_PGBOUNCER: '1' }) },
      });
    },
  ],
  ...ofVitest,
  ...ofBrowser,
  [
    'the tables that the dashboard writes: opened by LibreOffice in two languages, split at each separator',
    () => {
      if (!existsSync(soffice) && isDebianRoot()) installFromDebian('libreoffice-calc-nogui');
      if (existsSync(soffice)) vitest('dashboard', 'src/components/files', { SOFFICE: soffice });
      else process.stdout.write('skipped: no soffice\n');
    },
  ],
  [
    'keys in an HSM (SoftHSM): enrolment, sync, a minute without it, rotation; the memory searched for the KEK',
    () => {
      if (isDebianRoot()) installFromDebian('softhsm2', 'opensc');
      if (!existsSync(softHsm)) return void process.stdout.write('skipped: no softhsm2\n');
      const headers = `--nodedir=${join(process.execPath, '../..')}`;
      run('npm', ['run', 'build', '--prefix', 'apps/api/node_modules/pkcs11js', headers], { quiet: true });
      vitest('e2e', 'src/hsm', { HSM: softHsm });
    },
  ],
  [
    'the former release: its database, its devices, and its nodes beside the present ones under load',
    () => {
      const folder = buildFormerRelease();
      if (folder === null) {
        process.stdout.write(`skipped: the history does not go back to ${formerRelease().commit}\n`);
        return;
      }
      const env = { SVC_TEST_FORMER_RELEASE: folder };
      pnpm(['--filter', '@svc/e2e', 'exec', 'vitest', 'run', 'src/upgrade'], { env });
    },
  ],
  [
    'liveness: the bars of docs/internals/accuracy.md, on a few rendered people and attacks',
    () => pnpm(['--filter', '@svc/benchmarks', 'run', 'evaluate:liveness', '--live', '2', '--each', '1']),
  ],
  ['networks of integers: every bit', () => pnpm(['--filter', '@svc/benchmarks', 'run', 'evaluate:bits'])],
  ['the pictures of the manual: each made again, and compared', () => run('npm', ['run', 'pictures', '--', '--check'])],
  ['the README: typed into a fresh clone', () => run(process.execPath, ['scripts/first-minutes.mjs'])],
  ['the demo', () => run('npm', ['run', 'demo'])],
  ['the commands of the documents: typed into a fresh clone, each to its end', typeDocumentedCommands],
  [
    'the artefact: packed, unpacked and tried',
    () => run(process.execPath, ['scripts/package.mjs', '--try'], asInstalled),
  ],
  [
    'the artefact for arm64: packed, and in an emulator started, its database too, until a rendered guest is enrolled',
    () => run(process.execPath, ['scripts/check-arm64.mjs'], asInstalled),
  ],
  [
    'the files of deploy/: the image built, the containers of the compose file under load, the chart rendered',
    () => {
      if (isDebianRoot()) installFromDebian('haproxy', ...renderer);
      run(process.execPath, ['scripts/package.mjs', '--folder'], asInstalled);
      const [release] = readdirSync(join(root, 'release'), { withFileTypes: true }).filter((each) =>
        each.isDirectory(),
      );
      const folder = join(root, 'release', release.name);
      try {
        run(process.execPath, ['scripts/check-image.mjs', folder]);
      } finally {
        rmSync(folder, { recursive: true });
      }
      pnpm(['--filter', '@svc/e2e', 'exec', 'vitest', 'run', 'src/deploy'], { env: { SVC_TEST_DEPLOY_ALL: '1' } });
    },
  ],
];

/** The campaigns that the command line asks for, in their order. @throws SetupError */
function wanted() {
  const { values: options } = parseArgs({
    options: { list: { type: 'boolean' }, from: { type: 'string' }, only: { type: 'string', multiple: true } },
  });
  const { list = false, from, only } = options;
  const has = (name, part) => name.toLowerCase().includes(part.toLowerCase());
  const first = from === undefined ? 0 : campaigns.findIndex(([name]) => has(name, from));
  const chosen = campaigns
    .slice(first < 0 ? campaigns.length : first)
    .filter(([name]) => only === undefined || only.some((part) => has(name, part)));
  if (chosen.length === 0) throw new SetupError('no campaign has that name; --list shows them');
  return { list, chosen };
}

const minutes = (ms) => `${(ms / 60_000).toFixed(1).padStart(6)} min`;

script(async () => {
  const { list, chosen } = wanted();
  if (list) {
    for (const [name] of chosen) process.stdout.write(`${name}\n`);
    return;
  }
  await setupForTests();
  if (!hasPgBouncer() && isDebianRoot()) installFromDebian('pgbouncer');
  // The pages that Chromium opens, the packages that are packed, the nodes that are started.
  turbo(['run', 'build', '--output-logs=errors-only']);
  const outcomes = [];
  for (const [index, [name, campaign]] of chosen.entries()) {
    process.stdout.write(`\ntest:long: ${index + 1} of ${chosen.length}: ${name}\n`);
    const startedAt = Date.now();
    let error = null;
    try {
      campaign();
    } catch (caught) {
      if (!(caught instanceof SetupError)) throw caught;
      error = caught;
    }
    const tookMs = Date.now() - startedAt;
    outcomes.push({ name, tookMs, failed: error !== null });
    process.stdout.write(
      `test:long: ${error === null ? 'ok' : `FAILED: ${error.message}`}, ${minutes(tookMs).trim()}\n`,
    );
  }
  process.stdout.write('\n');
  for (const { name, tookMs, failed } of outcomes)
    process.stdout.write(`${minutes(tookMs)}  ${failed ? 'FAILED  ' : ''}${name}\n`);
  process.stdout.write(`${minutes(outcomes.reduce((sum, { tookMs }) => sum + tookMs, 0))}  in all\n`);
  const failed = outcomes.filter((each) => each.failed).map(({ name }) => name);
  if (failed.length > 0) throw new SetupError(`failed: ${failed.join('; ')}`);
});

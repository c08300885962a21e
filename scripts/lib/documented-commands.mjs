/**
 * Every command that a document names, and what runs it: scripts/check-docs.mjs demands a row for each, and a document
 * for each row. Without a row are `svc …` that the tests of apps/cli type, and `npx vitest run FILE`.
 */

/** Typed in this folder of a fresh clone, by a campaign of scripts/test-long.mjs. @param as the whole line */
const typedIn = (folder, as) => ({ in: folder, as });
/** Run by a file that contains this text. */
const by = (file, text) => ({ by: [file, text] });
const campaign = (text) => by('scripts/test-long.mjs', text);
/** Run nowhere. @param not the reason */
const no = (not) => ({ not });
/** What the campaign types for a placeholder. */
export const PLACEHOLDERS = { ENGINE: 'dlib-resnet-128-mirror/2', FOLDER: '.tools/new' };
/** Not on this machine, or for another one. */
export const ELSEWHERE = 'docker podman buildah helm kubectl systemctl swift expo pod ./gradlew'.split(' ');

/** In the order in which the campaign types them. */
export const documentedCommands = {
  'npm start': by('scripts/first-minutes.mjs', "spawn('npm', ['start']"),
  'npm test': by('.ci/run', 'npm test'),
  'npm run check': by('scripts/test.mjs', 'scripts/check.mjs'),
  'npm run check:swift': by('.ci/run', 'npm run check:swift'),
  'npm run check:swift -- --install': by('.ci/run', 'npm run check:swift -- --try-install'),
  'npm run demo': campaign("'npm', ['run', 'demo']"),
  'npm run demo:dashboard': by('apps/e2e/src/demo/interrupted.e2e.test.ts', "'npm', ['run', 'demo:dashboard']"),
  'npm run pictures': campaign("'pictures', '--', '--check'"),
  'npm run pictures -- --check': campaign("'pictures', '--', '--check'"),
  'npm run measure:start': campaign('scripts/first-minutes.mjs'),
  'npm run package': campaign("'scripts/package.mjs', '--try'"),
  'npm run package -- --folder': campaign("'scripts/package.mjs', '--folder'"),
  'npm run build --prefix apps/api/node_modules/pkcs11js': campaign('apps/api/node_modules/pkcs11js'),
  'npm run bench -- --help': by('apps/cli/src/setup-scripts.test.ts', "'--help'"),
  'npm run bench': campaign('every case of every suite'),
  'npm run bench -- enrolment sync overload': campaign('every case of every suite'),
  'npm run load': campaign('small loads'),
  'npm run load -- fleet': campaign('small loads'),
  'npm run load -- payloads': campaign('small loads'),
  'npm run test:browser -- src/engines': campaign("'test:browser', folder"),
  'npm run test:browser -- src/engines/bits.spec.ts': campaign("'test:browser', folder"),
  'npm run test:browser -- src/web': campaign("'test:browser', folder"),
  'npm run test:browser -- src/widget/page': campaign("'test:browser', folder"),
  'npm run test:browser -- src/widget/capture': campaign("'test:browser', folder"),
  'npm run test:browser -- src/kiosk/memory': campaign("'test:browser', folder"),
  'npm run evaluate:liveness -- --live 40 --replays 20 --each 4 --frames 60 --out ../docs/internals/accuracy.md':
    campaign("'evaluate:liveness'"),
  'npx vitest run': by('packages/device-sdk-react-native/package.json', 'vitest run && jest'),
  'npx jest': by('packages/device-sdk-react-native/package.json', 'vitest run && jest'),
  "npm run test:long -- --only 'Node 2'": campaign('packages and artefact'),
  'npm run test:long -- --only deploy/': campaign('the files of deploy/'),
  'npm install': by('apps/e2e/src/examples/example.ts', 'sh'),
  'npm run setup': by('apps/e2e/src/examples/examples.spec.ts', 'type(blocks[0]'),
  "npm run test:long -- --only 'Chromium, Firefox and WebKit'": campaign('in Chromium, Firefox and WebKit'),

  'npm run format': typedIn('.'),
  'npm run outdated': typedIn('.'),
  'npx tsx --conditions=svc-source apps/api/scripts/write-settings.ts': typedIn('.'),
  'npm run record-goldens': typedIn('benchmarks'),
  'npm run record-ranges': typedIn('benchmarks'),
  'node scripts/package/dashboards.mjs FOLDER': typedIn('.'),
  'npm run build': typedIn('apps/kiosk'),
  'npx svc-device-assets svc-page --native': typedIn('apps/e2e'),
  'npx svc-device-assets --native svc-device': typedIn('apps/e2e'),
  'npx svc-device-assets --native app/src/main/assets/svc-device': typedIn('apps/e2e'),
  'npm run pictures -- --grep kiosk --update-snapshots': typedIn('apps/e2e'),
  "npm run pictures -- --grep 'phone-dark-de.*kiosk'": typedIn('apps/e2e'),
  'npm run evaluate:photo-check -- 60 20': typedIn('benchmarks'),
  'npm run bench:photos -- 3': typedIn('benchmarks', 'npm run bench:photos -- 1'),
  'npm run evaluate:light': typedIn('benchmarks'),
  'npm run evaluate:evidence': typedIn('benchmarks', 'npm run evaluate:evidence -- --people 5'),
  'npm run evaluate:versions': typedIn('benchmarks', 'npm run evaluate:versions -- --every 20'),
  'npm run evaluate:visits -- --out ../docs/internals/accuracy.md': typedIn(
    'benchmarks',
    'npm run evaluate:visits -- --each 1',
  ),
  'npm run evaluate:bits': campaign("'evaluate:bits'"),
  'npm run evaluate:integers': typedIn('benchmarks', 'npm run evaluate:integers -- --every 20'),
  'svc evaluate --report accuracy': typedIn(
    '.',
    'npm run svc -- evaluate --report accuracy --out docs/internals/accuracy.md',
  ),
  'svc evaluate --report calibration': typedIn('.', 'npm run svc -- evaluate --report calibration --engine ENGINE'),
  'npm run bench -- sync frame': typedIn('.'),
  'npm run test:mutants -- lease': typedIn('.'),
  'npm run release -- --note': typedIn('.'),
  'npm run release -- --pack': by('scripts/first-minutes.mjs', 'release -- --pack'),
  'npm install "$CLONE"/release/npm-*/svc-{core,device-sdk-node}-*.tgz': by('scripts/first-minutes.mjs', '{install}'),
  'npm run release -- --rehearse': campaign("'release', '--', '--rehearse'"),
  // The last ones: they change versions and counts.
  'npm run release': typedIn('.'),
  'node scripts/check-size.mjs --areas': typedIn('.'),
  'node scripts/check-size.mjs --write': typedIn('.'),

  'npm run test:long': no('it is what runs the others'),
  'npm run test:mutants': no('hours; one part of it is run'),
  'npm run changeset': no('asks questions in a terminal'),
  'npm deprecate': no('publishes'),
  'npm run release -- --registry URL': no('publishes; the rehearsal runs what it calls'),
  'npm run release -- --registry URL --dry-run': by('apps/cli/src/release.test.ts', "'--dry-run'"),
  ...Object.fromEntries(
    ['core', 'server-sdk', 'device-sdk-node', 'device-sdk-web', 'device-sdk-react-native'].map((name) => [
      `npm install @svc/${name}`,
      no('not published yet; the rehearsal of a release installs it'),
    ]),
  ),
  'npx svc-device-assets public/assets': by('scripts/release/kinds.mjs', 'svc-device-assets.mjs'),
  ...Object.fromEntries(ELSEWHERE.map((program) => [program, no('the program or its machine is not here')])),
};

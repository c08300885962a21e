/**
 * Every command that a document names, and what runs it: scripts/check-docs.mjs demands a row for each, and a document
 * for each row. A command `svc …` without a row is one that the tests of apps/cli type.
 */

/**
 * @typedef {{ in?: string, as?: string, isRepeat?: boolean, by?: readonly [file: string, text: string], not?: string }} Way
 */

/** Typed in this folder of a fresh clone, by a campaign of scripts/test-long.mjs. @param as with a word for each placeholder */
const typedIn = (folder, as) => ({ in: folder, as });
/** The same, and what it writes is what is there already. */
const repeatedIn = (folder) => ({ in: folder, isRepeat: true });
/** Run by a file that contains this text. */
const by = (file, text) => ({ by: [file, text] });
const campaign = (text) => by('scripts/test-long.mjs', text);
/** Run nowhere. @param not the reason */
const no = (not) => ({ not });
const ELSEWHERE = no('the program, or the machine that it is for, is not here');

/** In the order in which the campaign types them. @type {Readonly<Record<string, Way>>} */
export const documentedCommands = {
  'npm start': by('scripts/first-minutes.mjs', "spawn('npm', ['start']"),
  'npm test': by('.ci/run', 'npm test'),
  'npm run check': by('scripts/test.mjs', 'scripts/check.mjs'),
  'npm run check:swift': by('.ci/run', 'npm run check:swift'),
  'npm run check:swift -- --install': by('.ci/run', 'npm run check:swift -- --try-install'),
  'npm run demo': campaign("'npm', ['run', 'demo']"),
  'npm run demo:dashboard': by('apps/e2e/src/demo/interrupted.e2e.test.ts', "'npm', ['run', 'demo:dashboard']"),
  'npm run measure:start': campaign('scripts/first-minutes.mjs'),
  'npm run package': campaign("'scripts/package.mjs', '--try'"),
  'npm run package -- --folder': campaign("'scripts/package.mjs', '--folder'"),
  'npm run bench -- --help': by('apps/cli/src/setup-scripts.test.ts', "'--help'"),
  'npm run bench': campaign('every case of every suite'),
  'npm run bench -- enrolment sync overload': campaign('every case of every suite'),
  'npm run load': campaign('small loads'),
  'npm run load -- fleet': campaign('small loads'),
  'npm run test:browser -- src/web src/kiosk/kiosk.spec': campaign("'test:browser', folder"),
  'npm run test:browser -- src/widget/page': campaign("'test:browser', folder"),
  'npm run evaluate:liveness -- --live 40 --each 8 --out ../docs/accuracy.md': campaign("'evaluate:liveness'"),
  'npx vitest run': by('packages/device-sdk-react-native/package.json', 'vitest run && jest'),
  'npx jest': by('packages/device-sdk-react-native/package.json', 'vitest run && jest'),
  'npx vitest run src/android.test.ts': by('packages/device-sdk-native/package.json', '"vitest run"'),
  'npx vitest run src/device': by('apps/e2e/package.json', 'vitest run'),
  'npx vitest run src/memory': campaign("'src/memory'"),
  'npx vitest run src/simulation': campaign("'src/simulation'"),
  'npx vitest run src/standby': campaign("'src/standby'"),
  'npx vitest run research/parity': campaign('load research'),
  "npx vitest run src/upgrade/upgrade -t 'has guests'": campaign("'src/upgrade'"),
  'npm run test:long -- --only deploy/': campaign('the files of deploy/'),
  'svc plan': by('apps/cli/src/operator.e2e.test.ts', 'plan show'),
  'svc signing-key create': by('apps/cli/src/commands/signing-key.e2e.test.ts', "'create'"),
  'svc signing-key retire': by('apps/cli/src/commands/signing-key.e2e.test.ts', "'retire'"),
  'svc signing-key rotate': by('apps/cli/src/commands/signing-key.e2e.test.ts', "'rotate'"),
  'svc signing-key status': by('apps/cli/src/commands/signing-key.e2e.test.ts', "'status'"),

  'npm run format': repeatedIn('.'),
  'npx tsx packages/protocol/scripts/write-errors.ts': repeatedIn('.'),
  'npx tsx --conditions=svc-source apps/api/scripts/write-settings.ts': repeatedIn('.'),
  'npm run record-goldens': typedIn('benchmarks'),
  'node scripts/package/dashboards.mjs FOLDER': typedIn('.', 'node scripts/package/dashboards.mjs .tools/grafana'),
  'npx turbo run build': typedIn('.'),
  'npm run build': typedIn('apps/kiosk'),
  'npx svc-device-assets svc-page --native': typedIn('apps/e2e'),
  'npx svc-device-assets --native svc-device': typedIn('apps/e2e'),
  'npx svc-device-assets --native app/src/main/assets/svc-device': typedIn('apps/e2e'),
  'npm run stacks': typedIn('apps/e2e'),
  'npm run pictures -- --grep kiosk --update-snapshots': typedIn('apps/e2e'),
  "npm run pictures -- --grep 'phone-dark-de.*kiosk'": typedIn('apps/e2e'),
  'npm run evaluate:synthetic -- 5 1 --yaw 60': typedIn('benchmarks'),
  'npm run evaluate:synthetic -- 200 40 ENGINE': typedIn(
    'benchmarks',
    'npm run evaluate:synthetic -- 200 40 dlib-resnet-128-mirror/1',
  ),
  'npm run evaluate:photo-check -- 60 20': typedIn('benchmarks'),
  'npm run evaluate:light': typedIn('benchmarks'),
  'svc evaluate --report accuracy': typedIn('.', 'npm run svc -- evaluate --report accuracy --out docs/accuracy.md'),
  'svc evaluate --report calibration': typedIn(
    '.',
    'npm run svc -- evaluate --report calibration --engine dlib-resnet-128-mirror/1',
  ),
  'npm run bench -- sync frame': typedIn('.'),
  'npm run test:mutants -- lease': typedIn('.'),
  // The last ones: they change versions and counts.
  'npm run release': typedIn('.'),
  'node scripts/check-size.mjs --write': typedIn('.'),

  'npm run test:long': no('it is what runs the others'),
  'npm run test:mutants': no('hours; one part of it is run'),
  'npm run changeset': no('asks questions in a terminal'),
  'npx playwright show-trace test-results/…/trace.zip': no('opens a window'),
  'npx vitest run src/FILE': no('names no file'),
  'npm run …': no('names no script'),
  'npm deprecate': no('publishes'),
  'npx changeset publish --no-git-tag': no('publishes'),
  'npm install @svc/device-sdk-react-native': no(
    'of a published package; scripts/check-tarballs.mjs installs the packed ones',
  ),
  docker: ELSEWHERE,
  podman: ELSEWHERE,
  buildah: ELSEWHERE,
  helm: ELSEWHERE,
  kubectl: ELSEWHERE,
  systemctl: ELSEWHERE,
  './gradlew': ELSEWHERE,
  expo: ELSEWHERE,
  pod: ELSEWHERE,
  swift: ELSEWHERE,
};

/**
 * What tests need beside npm's packages. On Debian, as root, it is installed or unpacked from Debian's packages; elsewhere
 * it must be there already, else the tests that need it are reported as skipped.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchFromDebian, installFromDebian, isDebianRoot } from './debian.mjs';
import { root, runAside, setup } from './setup.mjs';

const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of Chromium or Chrome; undefined if there is none. */
export const foundChromium = () => process.env.SVC_CHROMIUM || CHROMIUMS.find((path) => existsSync(path));

const runs = (command, ...args) => spawnSync(command, args).status === 0;

/** Java archives for the Android shell beside npm's Kotlin compiler: Android 6 (API 23), and what its unit tests use. */
const androidJars = join(root, '.tools', 'android');
/** The release whose archive has Android's classes. */
const ANDROID_RELEASE = 'bullseye';
/** Debian's package, the file in it, and our name. */
const JARS = [
  ['libandroid-23-java', 'com.android.android-23.jar', 'android-23.jar'],
  ['libandroid-json-java', 'com.android.json.jar', 'json.jar'],
  ['junit4', 'junit4.jar', 'junit.jar'],
  ['libhamcrest-java', 'hamcrest-core.jar', 'hamcrest.jar'],
];

function fetchJars() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-android-'));
  const debs = fetchFromDebian(ANDROID_RELEASE, folder, 'download', ...JARS.map(([deb]) => deb)) ?? [];
  for (const deb of debs) spawnSync('dpkg', ['-x', deb, join(folder, 'unpacked')]);
  mkdirSync(androidJars, { recursive: true });
  for (const [, file, name] of JARS) {
    const unpacked = join(folder, 'unpacked', 'usr', 'share', 'java', file);
    if (existsSync(unpacked)) copyFileSync(unpacked, join(androidJars, name));
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Unpacked and not installed, so that no server is started. */
const prometheus = join(root, '.tools', 'prometheus');

function fetchPrometheus() {
  mkdirSync(prometheus, { recursive: true });
  const run = (command, ...args) => spawnSync(command, args, { cwd: prometheus });
  run('apt-get', 'update', '-qq');
  run('apt-get', 'download', '-qq', 'prometheus');
  for (const name of readdirSync(prometheus).filter((each) => each.endsWith('.deb'))) {
    run('dpkg', '-x', name, prometheus);
    rmSync(join(prometheus, name));
  }
}

const TOOLS = [
  {
    ...{ name: 'Chromium (or its path in SVC_CHROMIUM)', tests: 'tests in a browser' },
    isThere: () => foundChromium() !== undefined,
    debs: ['chromium'],
  },
  {
    ...{ name: 'Firefox ESR', tests: 'tests of pages in Firefox' },
    isThere: () => existsSync(process.env.SVC_FIREFOX || '/usr/bin/firefox-esr'),
    debs: ['firefox-esr'],
  },
  {
    ...{ name: 'WebKitGTK with its driver, on Xvfb', tests: 'tests of pages in WebKit' },
    isThere: () => ['WebKitWebDriver', 'xvfb-run'].every((name) => existsSync(join('/usr/bin', name))),
    debs: ['webkit2gtk-driver', 'xvfb', 'xauth'],
  },
  {
    ...{ name: 'Java', tests: 'the checks of the Android shell' },
    isThere: () => runs('java', '-version'),
    debs: ['default-jre-headless'],
  },
  {
    ...{ name: 'PHP and Python 3', tests: 'tests of the examples in them' },
    isThere: () => ['php', 'python3'].every((name) => runs(name, '--version')),
    debs: ['php-cli', 'python3'],
  },
  {
    ...{ name: 'classes of Android', tests: 'the checks of the Android shell' },
    isThere: () => JARS.every(([, , name]) => existsSync(join(androidJars, name))),
    fetch: fetchJars,
  },
  {
    ...{ name: 'promtool', tests: 'the tests of the alert rules with it' },
    isThere: () => existsSync(join(prometheus, 'usr', 'bin', 'promtool')) || runs('promtool', '--version'),
    fetch: fetchPrometheus,
  },
];

/** Fetches what is missing where it can, and says what is still missing. */
function fetchMissing() {
  const missing = TOOLS.filter(({ isThere }) => !isThere());
  if (missing.length > 0 && isDebianRoot()) {
    process.stdout.write(`setup: ${missing.map(({ name }) => name).join(', ')}: from the Debian packages\n`);
    const debs = missing.flatMap((each) => each.debs ?? []);
    // One that cannot be had keeps none of the others away.
    if (debs.length > 0 && !installFromDebian(...debs)) for (const deb of debs) installFromDebian(deb);
    for (const { fetch } of missing) fetch?.();
  }
  for (const { name, tests, isThere } of missing)
    if (!isThere()) process.stdout.write(`setup: no ${name}; ${tests} are skipped\n`);
}

/** Sets everything up; what tests need beside npm's packages is fetched at the same time. */
export async function setupForTests() {
  const fetching = runAside(process.execPath, [fileURLToPath(import.meta.url)]);
  setup();
  process.stdout.write(await fetching);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fetchMissing();

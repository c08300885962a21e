/**
 * What the check of the Android shell needs beside npm's Kotlin compiler: Java, the classes of Android 6 (API 23), and
 * libraries for its unit tests. On Debian they come from its packages, unpacked into `.tools/android`; Java is installed,
 * which takes root. Elsewhere the check is reported as skipped.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { root } from './setup.mjs';

/** The release whose archive has Android's classes. */
const RELEASE = 'bullseye';
/** Debian's package, the file in it, and our name. */
const JARS = [
  ['libandroid-23-java', 'com.android.android-23.jar', 'android-23.jar'],
  ['libandroid-json-java', 'com.android.json.jar', 'json.jar'],
  ['junit4', 'junit4.jar', 'junit.jar'],
  ['libhamcrest-java', 'hamcrest-core.jar', 'hamcrest.jar'],
];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

export const androidJars = join(root, '.tools', 'android');

const isThere = () => JARS.every(([, , name]) => existsSync(join(androidJars, name)));
const hasJava = () => spawnSync('java', ['-version']).status === 0;
const skip = (why) => process.stdout.write(`setup: ${why}; the check of the Android shell is skipped\n`);

/** Address of Debian's archive in this machine's own list of sources; null if there is none. */
function archive() {
  const folder = '/etc/apt/sources.list.d';
  const lists = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  for (const list of lists.filter((path) => existsSync(path))) {
    const named = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(\S+\/debian\/?)(?:\s|$)/m.exec(readFileSync(list, 'utf8'));
    if (named) return named[1];
  }
  return null;
}

/** Fetches and unpacks the packages, with lists of sources and packages of their own: the machine's stay as they are. */
function fetchJars(address, folder) {
  const sources = join(folder, 'sources.list');
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${address} ${RELEASE} main\n`);
  for (const path of ['lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(folder, path), { recursive: true });
  const options = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  const named = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const debs = join(folder, 'debs');
  const apt = (...args) =>
    spawnSync('apt-get', [...named, '-qq', ...args], { cwd: debs, encoding: 'utf8' }).status === 0;
  if (!apt('update') || !apt('download', ...JARS.map(([deb]) => deb))) return false;
  for (const deb of readdirSync(debs)) spawnSync('dpkg', ['-x', join(debs, deb), join(folder, 'unpacked')]);
  mkdirSync(androidJars, { recursive: true });
  for (const [, file, name] of JARS) {
    const unpacked = join(folder, 'unpacked', 'usr', 'share', 'java', file);
    if (existsSync(unpacked)) copyFileSync(unpacked, join(androidJars, name));
  }
  return isThere();
}

/** Installs what is missing if possible, and says so if not. */
export function android() {
  const java = hasJava();
  if (java && isThere()) return;
  const address = archive();
  if (!isDebianRoot() || address === null) {
    return skip(java ? 'Android’s classes come from Debian’s packages, as root' : 'no Java found');
  }
  process.stdout.write('setup: installing Java and Android’s classes from the Debian packages\n');
  if (!java) {
    installFromDebian('default-jre-headless');
    if (!hasJava()) return skip('Java could not be installed');
  }
  if (isThere()) return;
  const folder = mkdtempSync(join(tmpdir(), 'svc-android-'));
  try {
    if (!fetchJars(address, folder)) skip('Android’s classes could not be fetched');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

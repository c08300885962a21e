/**
 * What the check of the Android shell needs beside npm's Kotlin compiler: Java, the classes of Android 6 (API 23), and
 * libraries for its unit tests. On Debian they come from its packages, unpacked into `.tools/android`; Java is installed,
 * which takes root. Elsewhere the check is reported as skipped.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchFromDebian, installFromDebian, isDebianRoot } from './debian.mjs';
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

const androidJars = join(root, '.tools', 'android');

const isThere = () => JARS.every(([, , name]) => existsSync(join(androidJars, name)));
const hasJava = () => spawnSync('java', ['-version']).status === 0;
const skip = (why) => process.stdout.write(`setup: ${why}; the check of the Android shell is skipped\n`);

/** Fetches the packages and takes the jars out of them. */
function fetchJars(folder) {
  const debs = fetchFromDebian(RELEASE, folder, 'download', ...JARS.map(([deb]) => deb)) ?? [];
  for (const deb of debs) spawnSync('dpkg', ['-x', deb, join(folder, 'unpacked')]);
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
  if (!isDebianRoot()) {
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
    if (!fetchJars(folder)) skip('Android’s classes could not be fetched');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

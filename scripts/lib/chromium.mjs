/**
 * The browser for the end-to-end tests. On Debian, as root, it is installed from Debian's packages; elsewhere it must
 * be installed already, and tests that need it are otherwise reported as skipped.
 */
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianRoot } from './debian.mjs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of Chromium or Chrome; undefined if there is none. */
export const foundChromium = () => process.env.SVC_CHROMIUM || CANDIDATES.find((path) => existsSync(path));

/** Installs Chromium if possible, and says so if not. */
export function chromium() {
  if (foundChromium()) return;
  if (!isDebianRoot()) {
    process.stdout.write(
      'setup: no Chromium found; install it or set SVC_CHROMIUM to its path, else the browser tests are skipped\n',
    );
    return;
  }
  process.stdout.write('setup: installing Chromium from the Debian packages\n');
  if (!installFromDebian('chromium') || !foundChromium())
    process.stdout.write('setup: Chromium could not be installed; the browser tests are skipped\n');
}

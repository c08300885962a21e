import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of Chromium or Chrome; undefined if there is none. */
export const foundChromium = () => process.env.SVC_CHROMIUM || CANDIDATES.find((path) => existsSync(path));

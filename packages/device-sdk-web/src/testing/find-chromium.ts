import { existsSync } from 'node:fs';

/** Path of Chromium; null if there is none, which is reported once. */
export function findChromium(): string | null {
  const candidates = [
    process.env.SVC_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const found = candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null;
  if (found === null) process.stdout.write('skipped: no Chromium (set SVC_CHROMIUM to its path)\n');
  return found;
}

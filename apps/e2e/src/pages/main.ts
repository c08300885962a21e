/**
 * Pictures and measurements of the pages, in Chromium.
 *
 *   npm run pages -- screenshots widget|kiosk|dashboard [--out DIR] [--only NAME] [--against DIR]
 *   npm run pages -- measure consent|guests|kiosk|stacks|dashboard [options of each]
 *
 * `screenshots` takes pictures of everything that a page can show, below `screenshots/NAME` of the package, which git
 * ignores; `--only` takes the beginning of a picture's name, `--against` compares with the pictures of another run.
 * Exits with 1 if a picture differs, or a measurement is beyond its bar. Folders are relative to where npm was called.
 */
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { measureConsent } from './consent.ts';
import { measureDashboard } from './dashboard.ts';
import { measureGuests } from './guests.ts';
import { measureKiosk } from './kiosk.ts';
import type { Given, Measurement } from './measurement.ts';
import { scenarios, takePictures } from './screenshots.ts';
import { measureStacks } from './stacks.ts';

const measurements: Readonly<Record<string, Measurement>> = {
  consent: measureConsent,
  guests: measureGuests,
  kiosk: measureKiosk,
  stacks: measureStacks,
  dashboard: measureDashboard,
};

const folderOf = (given: string) => resolve(process.env.INIT_CWD ?? '.', given);

function read(args: readonly string[], options: Measurement['options']): Given {
  const types = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      { type: 'string' as const, ...(value === null ? {} : { default: value }) },
    ]),
  );
  const { values } = parseArgs({ args: [...args], options: types });
  const text = (name: string) => values[name] as string | undefined;
  return {
    text: (name) => (/^(against|out)$/.test(name) ? text(name) && folderOf(text(name) ?? '') : text(name)),
    count(name, least = 1) {
      const count = Number(text(name));
      if (!Number.isInteger(count) || count < least) throw new Error(`--${name} is a number from ${least} on`);
      return count;
    },
  };
}

const [action, name = '', ...args] = process.argv.slice(2).filter((argument) => argument !== '--');
const measurement = action === 'measure' ? measurements[name] : undefined;
const scenario = action === 'screenshots' ? scenarios[name] : undefined;
if (measurement === undefined && scenario === undefined)
  throw new Error(
    `screenshots ${Object.keys(scenarios).join('|')}, or measure ${Object.keys(measurements).join('|')}; not ${action} ${name}`,
  );
if (chromiumPath === undefined) {
  console.log('skipped: no Chromium');
} else {
  const browser = await launchChromium();
  try {
    let isGood = true;
    if (measurement !== undefined) {
      const given = read(args, measurement.options);
      isGood = await measurement.run(browser, given);
      console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`);
    } else if (scenario !== undefined) {
      const given = read(args, { out: null, only: '', against: null });
      const out = given.text('out') ?? join(import.meta.dirname, '../../screenshots', name);
      const only = given.text('only') ?? '';
      isGood = await takePictures(browser, scenario, { out, only, against: given.text('against') ?? null });
    }
    process.exitCode = isGood ? 0 : 1;
  } finally {
    await browser.close();
  }
}

/**
 * Plays rendered guests through the real page and the real service: each walks in from a bad place, in other light and
 * pose, and takes the photo as the page guides. Prints the share whose first sent photo was accepted, taps, and seconds
 * from opening the link to the answer; guests read nothing, so people take longer.
 *
 * `--guests N`: default 40. `--against FOLDER`: another built page, which each guest visits first. Exits non-zero if fewer
 * than 95 % are accepted by this page at the first attempt.
 */

import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { rankQuantile } from '@svc/benchmarks/statistics/summary';
import { type DemoService, startDemoService } from '../demo/service.ts';
import { installFakeCamera } from './fake-camera.ts';
import { playWalkIn, type WalkInResult, walkIn } from './walk-in.ts';

const BAR = 0.95;

const { values } = parseArgs({
  options: { guests: { type: 'string', default: '40' }, against: { type: 'string' } },
});
const guests = Number(values.guests);
/** Built pages by name; this one is the last. */
const pages: readonly (readonly [name: string, settings: Readonly<Record<string, string>>])[] = [
  ...(values.against === undefined ? [] : [[values.against, { SVC_WIDGET_DIR: resolve(values.against) }] as const]),
  ['this page', {}],
];

const count = (results: readonly WalkInResult[], fits: (result: WalkInResult) => boolean): number =>
  results.filter(fits).length;
const spread = (numbers: readonly number[], digits: number): string =>
  [0.5, 0.9].map((share) => rankQuantile(numbers, share).toFixed(digits)).join(' and ');
const accepted = (results: readonly WalkInResult[]) => count(results, ({ outcome }) => outcome === 'done');

function summary(name: string, results: readonly WalkInResult[]): string {
  const taps = results.map((result) => result.taps);
  const seconds = results.map((result) => result.seconds);
  return (
    `${name}: ${accepted(results)} of ${guests} accepted at the first attempt ` +
    `(${((accepted(results) / guests) * 100).toFixed(1)} %); ` +
    `${count(results, ({ isAutomatic }) => isAutomatic)} photographed automatically, ` +
    `${count(results, ({ retakes }) => retakes > 0)} retook; ` +
    `median and 90 %: ${spread(taps, 0)} taps, ${spread(seconds, 1)} s`
  );
}

const services: DemoService[] = [];
const browser = await launchChromium();
const results: WalkInResult[][] = pages.map(() => []);
try {
  for (const [, settings] of pages) services.push(await startDemoService(null, settings));
  for (let number = 0; number < guests; number += 1) {
    const guest = await walkIn(number);
    for (const [i, service] of services.entries()) {
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 } });
      // tsx names functions by a helper, which a script in the page lacks.
      await context.addInitScript('globalThis.__name = (named) => named;');
      await context.addInitScript(installFakeCamera, { size: guest.size });
      const result = await playWalkIn(await context.newPage(), await service.guestLink(`guest-${number}`), guest);
      await context.close();
      results[i]?.push(result);
      const { taps, seconds, isAutomatic, retakes, outcome } = result;
      const how = `${isAutomatic ? 'automatic' : 'by hand'}, ${retakes} retakes`;
      console.log(`guest ${number}, ${pages[i]?.[0]}: ${outcome}, ${taps} taps, ${seconds.toFixed(1)} s, ${how}`);
    }
  }
} finally {
  await browser.close();
  for (const service of services) await service.close();
}

for (const [i, [name]] of pages.entries()) console.log(summary(name, results[i] ?? []));
console.log(`load average of 15 minutes: ${loadavg()[2]?.toFixed(1)}`);
if (accepted(results.at(-1) ?? []) < BAR * guests) process.exitCode = 1;

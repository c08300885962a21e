/**
 * Plays rendered guests through the real page and the real service: each walks in from a bad place, in other light and
 * pose, and takes the photo as the page guides. Prints the share whose first sent photo was accepted, taps, and seconds
 * from opening the link to the answer; guests read nothing, so people take longer. `--guests N`, default 40. Exits
 * non-zero if fewer than 95 % are accepted at the first attempt.
 */

import { parseArgs } from 'node:util';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { rankQuantile } from '@svc/benchmarks/statistics/summary';
import { startDemoService } from '../demo/service.ts';
import { installFakeCamera } from './fake-camera.ts';
import { playWalkIn, type WalkInResult, walkIn } from './walk-in.ts';

const BAR = 0.95;

const { values } = parseArgs({ options: { guests: { type: 'string', default: '40' } } });
const guests = Number(values.guests);
const service = await startDemoService(null);
const browser = await launchChromium();
const results: WalkInResult[] = [];
try {
  for (let number = 0; number < guests; number += 1) {
    const guest = await walkIn(number);
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 } });
    // tsx names functions by a helper, which a script in the page lacks.
    await context.addInitScript('globalThis.__name = (named) => named;');
    await context.addInitScript(installFakeCamera, { size: guest.size });
    const result = await playWalkIn(await context.newPage(), await service.guestLink(`guest-${number}`), guest);
    await context.close();
    results.push(result);
    const { taps, seconds, isAutomatic, retakes, outcome } = result;
    const how = `${isAutomatic ? 'automatic' : 'by hand'}, ${retakes} retakes`;
    console.log(`guest ${number}: ${outcome}, ${taps} taps, ${seconds.toFixed(1)} s, ${how}`);
  }
} finally {
  await browser.close();
  await service.close();
}

const count = (fits: (result: WalkInResult) => boolean): number => results.filter(fits).length;
const spread = (numbers: readonly number[], digits: number): string =>
  [0.5, 0.9].map((share) => rankQuantile(numbers, share).toFixed(digits)).join(' and ');
const accepted = count(({ outcome }) => outcome === 'done');
console.log(
  `${accepted} of ${guests} accepted at the first attempt (${((accepted / guests) * 100).toFixed(1)} %); ` +
    `${count(({ isAutomatic }) => isAutomatic)} photographed automatically, ${count(({ retakes }) => retakes > 0)} ` +
    `retook; median and 90 %: ${spread(
      results.map(({ taps }) => taps),
      0,
    )} taps, ${spread(
      results.map(({ seconds }) => seconds),
      1,
    )} s`,
);
if (accepted < BAR * guests) process.exitCode = 1;

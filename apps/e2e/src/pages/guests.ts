import { installFakeCamera } from '../widget/fake-camera.ts';
import { playWalkIn, type WalkInResult, walkIn } from '../widget/walk-in.ts';
import { type Measurement, newContext, spread, withPages } from './measurement.ts';

const BAR = 0.95;
const accepted = (results: readonly WalkInResult[]) => results.filter(({ outcome }) => outcome === 'done').length;

/**
 * Rendered guests before the real page and the real service: each walks in from a bad place, in other light and pose,
 * and takes the photo as the page guides. Prints the share whose first sent photo was accepted, taps, and seconds from
 * opening the link to the answer; guests read nothing, so people take longer.
 *
 * `--against FOLDER`: another built page, which each guest visits first. At least 95 % are accepted by this page at the
 * first attempt.
 */
export const measureGuests: Measurement = {
  options: { guests: '40', against: null },
  run: (browser, given) =>
    withPages(given.text('against'), async (pages) => {
      const guests = given.count('guests');
      const results = pages.map(() => [] as WalkInResult[]);
      for (let number = 0; number < guests; number += 1) {
        const guest = await walkIn(number);
        for (const [i, { name, service }] of pages.entries()) {
          const context = await newContext(browser, { viewport: { width: 390, height: 844 } });
          await context.addInitScript(installFakeCamera, { size: guest.size });
          const result = await playWalkIn(await context.newPage(), await service.guestLink(`guest-${number}`), guest);
          await context.close();
          results[i]?.push(result);
          const { taps, seconds, isAutomatic, retakes, outcome } = result;
          const how = `${isAutomatic ? 'automatic' : 'by hand'}, ${retakes} retakes`;
          console.log(`guest ${number}, ${name}: ${outcome}, ${taps} taps, ${seconds.toFixed(1)} s, ${how}`);
        }
      }
      for (const [i, { name }] of pages.entries()) {
        const all = results[i] ?? [];
        const taps = all.map((result) => result.taps);
        const seconds = all.map((result) => result.seconds);
        console.log(
          `${name}: ${accepted(all)} of ${guests} accepted at the first attempt; ` +
            `${all.filter(({ isAutomatic }) => isAutomatic).length} photographed automatically, ` +
            `${all.filter(({ retakes }) => retakes > 0).length} retook; ` +
            `median and 90 %: ${spread(taps, 'taps')}, ${spread(seconds, 's', 1)}`,
        );
      }
      return accepted(results.at(-1) ?? []) >= BAR * guests;
    }),
};

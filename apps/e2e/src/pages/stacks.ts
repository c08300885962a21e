import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { median } from '@svc/benchmarks/statistics/summary';
import { startDemoService } from '../demo/service.ts';
import { atDoor, startWebDoor, WITHOUT_SIMD } from '../web/web-door.ts';
import { type Measurement, newContext } from './measurement.ts';

const GUEST = 'ticket-of-anna-4711';

/**
 * The engine with WebAssembly SIMD and without, in turn, in two Chromiums: how many frames a second a device says that
 * it manages, and how many it looked at in a whole attempt of a rendered guest. The camera gives 20 frames a second, so
 * an attempt has no more. Each attempt ends in a match.
 */
export const measureStacks: Measurement = {
  options: { rounds: '5' },
  async run(withSimd, given) {
    const rounds = given.count('rounds');
    const service = await startDemoService(null);
    const at = await startWebDoor({ service, guestId: GUEST });
    const withoutSimd = await launchChromium(WITHOUT_SIMD);
    try {
      const stacks = await Promise.all(
        [withSimd, withoutSimd].map(async (browser) => {
          const page = await (await newContext(browser)).newPage();
          const token = await service.addDevice();
          return { page, token, core: '', told: [] as number[], attempted: [] as number[], outcomes: [] as string[] };
        }),
      );
      for (let round = 0; round < rounds; round += 1) {
        for (const stack of stacks) {
          const { page } = stack;
          const { framesPerSecond, core } = await at.open(page, stack.token);
          stack.core = core;
          if (framesPerSecond !== null) stack.told.push(framesPerSecond);
          await atDoor(page, (door) => door.sync());
          const { outcome, reason, counts, timings } = await atDoor(page, (door) => door.visit('ticket-of-anna-4711'));
          stack.outcomes.push(`${outcome}/${reason}`);
          if (timings.attemptMs !== null) stack.attempted.push((1_000 * counts.framesAnalysed) / timings.attemptMs);
        }
      }
      console.log('core    frames a second: measured  in an attempt  attempts');
      for (const { core, told, attempted, outcomes } of stacks) {
        const cells = [median(told).toFixed(1).padStart(10), median(attempted).toFixed(1).padStart(14)];
        console.log(`${core.padEnd(24)} ${cells.join(' ')}  ${outcomes.join(', ')}`);
      }
      const [simd = Number.NaN, scalar = Number.NaN] = stacks.map(({ told }) => median(told));
      console.log(`with SIMD ${(simd / scalar).toFixed(1)} times as many as without`);
      return stacks.every(({ outcomes }) => outcomes.every((outcome) => outcome === 'Match/verified'));
    } finally {
      await withoutSimd.close();
      await at.close();
    }
  },
};

/**
 * Measures the engine with WebAssembly SIMD and without, in turn, in two Chromiums on this machine: how many frames a
 * second a device says that it manages, and how many it looked at in a whole attempt of a rendered guest.
 *
 *   npm run measure:stacks -- [--rounds N]
 *
 * `--rounds`: default 5. The camera gives 20 frames a second, so an attempt has no more. Prints the load of the
 * machine. Exits with 1 if an attempt does not end in a match.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { median } from '@svc/benchmarks/statistics/summary';
import { startDemoService } from '../demo/service.ts';
import { atDoor, startWebDoor, WITHOUT_SIMD } from './web-door.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is no number');

const service = await startDemoService(null);
const at = await startWebDoor({ service, guestId: 'ticket-of-anna-4711' });
const browsers = await Promise.all([launchChromium(), launchChromium(WITHOUT_SIMD)]);
try {
  const stacks = await Promise.all(
    browsers.map(async (browser) => {
      const page = await browser.newPage();
      await page.addInitScript('globalThis.__name = (value) => value');
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
  console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, ${rounds} rounds in turn`);
  console.log('core    frames a second: measured  in an attempt  attempts');
  for (const { core, told, attempted, outcomes } of stacks) {
    const cells = [median(told).toFixed(1).padStart(10), median(attempted).toFixed(1).padStart(14)];
    console.log(`${core.padEnd(24)} ${cells.join(' ')}  ${outcomes.join(', ')}`);
  }
  const [simd, scalar] = stacks.map(({ told }) => median(told));
  console.log(`with SIMD ${((simd ?? Number.NaN) / (scalar ?? Number.NaN)).toFixed(1)} times as many as without`);
  if (stacks.some(({ outcomes }) => outcomes.some((outcome) => outcome !== 'Match/verified'))) process.exitCode = 1;
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await at.close();
}

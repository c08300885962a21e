/**
 * `npm run stacks`: the engine with WebAssembly SIMD and without, in turn, in two Chromiums: how many frames a second a
 * device says that it manages, and how many it looked at in a whole attempt of a rendered guest. The camera gives 20
 * frames a second, so an attempt has no more. Exits with 1 if an attempt does not end in a match.
 */
import { cpus, loadavg } from 'node:os';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { median } from '@svc/benchmarks/inputs/summary';
import { withPostgres } from '../support/service.ts';
import { atDoor, startWebDoor, WITHOUT_SIMD } from '../web/web-door.ts';

const ROUNDS = 5;

await withPostgres(async () => {
  const at = await startWebDoor();
  const browsers = [await launchChromium(), await launchChromium(WITHOUT_SIMD)];
  const stacks = [];
  for (const browser of browsers) {
    const page = await browser.newPage();
    // tsx wraps nested functions in this helper, which pages lack.
    await page.addInitScript('globalThis.__name = (value) => value');
    const { token } = await at.service.addDevice(at.listId);
    stacks.push({ page, token, core: '', told: [] as number[], attempted: [] as number[], outcomes: [] as string[] });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const stack of stacks) {
      const { page } = stack;
      const { framesPerSecond, core } = await at.open(page, stack.token);
      stack.core = core;
      if (framesPerSecond !== null) stack.told.push(framesPerSecond);
      await atDoor(page, (door) => door.sync());
      const { outcome, reason, counts, timings } = await atDoor(page, (door) => door.visit('ticket-of-anna'));
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
  console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`);
  if (stacks.some(({ outcomes }) => outcomes.some((outcome) => outcome !== 'Match/verified'))) process.exitCode = 1;
  for (const browser of browsers) await browser.close();
  await at.close();
});

// `npm run simulate`: many seeds in one process per core, or a single seed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTestPostgres } from '@svc/api/testing';
import { added, NO_COUNTS, seenTooSeldom, summaryOf } from './counts.ts';
import { type Seeds, type SeedsDone, simulateSeeds } from './simulate.ts';
import { openDatabases } from './simulated-service.ts';

const PROGRESS_SEEDS = 100;

interface Part {
  readonly seeds: Seeds;
  readonly postgres: Parameters<typeof openDatabases>[0];
}

/** A child process. */
async function work({ seeds, postgres }: Part): Promise<void> {
  const { main, other, empty } = await openDatabases(postgres);
  await simulateSeeds(seeds, { main, other, empty }, (done) => process.send?.(done));
  await Promise.all([main.close(), other.close()]);
  process.disconnect();
}

async function lead(from: number, count: number, most: number): Promise<void> {
  const processes = Math.min(count, most);
  const parts: SeedsDone[] = [];
  const beganMs = performance.now();
  let toldAt = 0;
  const { target: postgres, stop } = await startTestPostgres();
  const exits = Array.from({ length: processes }, (_, nth) => {
    const seeds: Seeds = { from: from + nth, end: from + count, stride: processes };
    const child = fork(fileURLToPath(import.meta.url), ['--part', JSON.stringify({ seeds, postgres } satisfies Part)]);
    child.on('message', (done: SeedsDone) => {
      for (const report of done.reports.slice(parts[nth]?.reports.length ?? 0)) process.stdout.write(`${report}\n\n`);
      parts[nth] = done;
      const soFar = parts.reduce((sum, part) => sum + part.seeds, 0);
      if (soFar - toldAt < PROGRESS_SEEDS && soFar < count) return;
      toldAt = soFar;
      const seconds = (performance.now() - beganMs) / 1_000;
      process.stdout.write(`${soFar} of ${count} seeds, ${(soFar / seconds).toFixed(1)} a second\n`);
    });
    // Its last message may come behind its end.
    const told = once(child, 'disconnect');
    return once(child, 'exit').then(([code]: (number | null)[]) => told.then(() => code));
  });
  let codes: (number | null | undefined)[];
  try {
    codes = await Promise.all(exits);
  } finally {
    await stop();
  }
  const seen = parts.reduce((sum, part) => added(sum, part.seen), NO_COUNTS);
  const done = parts.reduce((sum, part) => sum + part.seeds, 0);
  const broken = parts.reduce((sum, part) => sum + part.reports.length, 0);
  process.stdout.write(`${done} seeds, ${broken} failures; ${summaryOf(seen)}\n`);
  const seldom = count < PROGRESS_SEEDS ? [] : seenTooSeldom(seen, done);
  if (seldom.length > 0) process.stdout.write(`hardly seen: ${seldom.join(', ')}\n`);
  const isWhole = codes.every((code) => code === 0) && done === count;
  if (!isWhole || broken > 0 || seldom.length > 0) process.exitCode = 1;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '200' },
    processes: { type: 'string', default: String(availableParallelism()) },
    part: { type: 'string' },
  },
});
if (values.part !== undefined) await work(JSON.parse(values.part) as Part);
else if (values.seed !== undefined) await lead(Number(values.seed), 1, 1);
else await lead(Number(values.from), Number(values.seeds), Number(values.processes));

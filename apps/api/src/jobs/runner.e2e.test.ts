import { MINUTE_MS } from '@svc/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIds, systemRandom } from '../platform/ports.ts';
import { createManualClock } from '../testing/index.ts';
import { useDatabase } from '../testing/use-api.ts';
import { JobRunner, type RecurringJob } from './runner.ts';
import { createJobStore } from './store.ts';

const clock = createManualClock();
const ids = createIds(clock, systemRandom);
const database = useDatabase();
const runners: JobRunner[] = [];
let errors: [string | null, unknown][] = [];

beforeEach(async () => {
  errors = [];
  await database.connection('recurring_jobs').delete();
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop(1_000)));
});

/** A node with these jobs. */
function startNode(...jobs: RecurringJob[]): JobRunner {
  const store = createJobStore(database.connection);
  const onError = (job: string | null, error: unknown) => void errors.push([job, error]);
  const runner = new JobRunner({ store, jobs, ids, clock, onError, onDone: () => {} });
  runners.push(runner);
  runner.start();
  return runner;
}

const job = (name: string, run: () => Promise<unknown>): RecurringJob => ({ name, everyMs: 10 * MINUTE_MS, run });
const rowOf = (name: string) => database.connection('recurring_jobs').where({ name }).first();
const poll = <T>(read: () => T) => expect.poll(read, { interval: 20 });

describe('recurring jobs', () => {
  it('run at once, on one of the nodes, and again when they are due', async () => {
    let runs = 0;
    const counting = job('counting', () => {
      runs += 1;
      return Promise.resolve();
    });
    for (let node = 0; node < 4; node += 1) startNode(counting);
    await poll(async () => (await rowOf('counting'))?.last_done_at ?? null).not.toBeNull();
    expect(runs).toBe(1);
    clock.advance(10 * MINUTE_MS);
    await poll(() => runs).toBe(2);
  });

  it('that fail are reported and tried again within a minute', async () => {
    let runs = 0;
    startNode(
      job('failing', () => {
        runs += 1;
        return runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve();
      }),
    );
    await poll(async () => (await rowOf('failing'))?.failures).toBe(1);
    expect(errors).toEqual([['failing', new Error('no')]]);
    clock.advance(MINUTE_MS);
    await poll(async () => (await rowOf('failing'))?.failures).toBe(0);
    expect(runs).toBe(2);
  });

  it('wait, after a time without a node, where they need what the service missed meanwhile', async () => {
    let runs = 0;
    const waiting = { ...job('waiting', () => Promise.resolve(runs++)), waitsAfterOutageMs: 15 * MINUTE_MS };
    const doneIn = async (minutes: number, expected: number) => {
      clock.advance(minutes * MINUTE_MS);
      await poll(async () => (await rowOf('waiting'))?.last_done_at).toEqual(new Date(clock.now()));
      expect(runs).toBe(expected);
    };
    const first = startNode(waiting);
    // It has started, and has waited; then it was away, and has waited.
    for (const [minutes, expected] of [
      [0, 0],
      [15, 1],
    ] as const)
      await doneIn(minutes, expected);
    await first.stop(1_000);
    clock.advance(20 * MINUTE_MS);
    startNode(waiting);
    for (const [minutes, expected] of [
      [0, 1],
      [15, 2],
    ] as const)
      await doneIn(minutes, expected);
  });

  it('of a node that died are taken up by another when the lease is over', async () => {
    const store = createJobStore(database.connection);
    const [now, leaseUntil] = [new Date(clock.now()), new Date(clock.now() + MINUTE_MS)];
    await store.register([{ name: 'orphan' }], now);
    const dead = await store.take(['orphan'], ids.nextUuid(), now, leaseUntil);
    expect(dead).toMatchObject({ name: 'orphan' });
    let runs = 0;
    startNode(
      job('orphan', () => {
        runs += 1;
        return Promise.resolve();
      }),
      job('another', () => Promise.resolve()),
    );
    await poll(async () => (await rowOf('another'))?.last_done_at ?? null).not.toBeNull();
    expect(runs).toBe(0);
    clock.advance(MINUTE_MS);
    await poll(() => runs).toBe(1);
    // The crashed node resumes: it must have no effect.
    if (dead === null) throw new Error('not taken');
    expect(await store.extend(dead, leaseUntil)).toBe(false);
    await poll(async () => (await rowOf('orphan'))?.last_done_at ?? null).not.toBeNull();
    const before = await rowOf('orphan');
    await store.failed(dead, now);
    expect(await rowOf('orphan')).toEqual(before);
  });

  /** Starts a job that runs until `finish` is called. */
  async function startSlow() {
    let finish: () => void = () => {};
    let hasBegun = false;
    const runner = startNode(
      job('slow', () => {
        hasBegun = true;
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      }),
    );
    await poll(() => hasBegun).toBe(true);
    return { runner, finish: () => finish() };
  }

  it('are waited for when a node stops', async () => {
    const { runner, finish } = await startSlow();
    const stopped = runner.stop(30_000);
    finish();
    await stopped;
    expect((await rowOf('slow'))?.last_done_at).not.toBeNull();
  });

  it('are not begun by a node that stops while it takes one, and another takes them up at once', async () => {
    const stored = createJobStore(database.connection);
    const stopped: Promise<void>[] = [];
    const store: typeof stored = {
      ...stored,
      async take(...asked) {
        const taken = await stored.take(...asked);
        stopped.push(runner.stop(30_000));
        return taken;
      },
    };
    const run = vi.fn(() => Promise.resolve());
    const parts = { store, jobs: [job('taken', run)], ids, clock, onError: () => {}, onDone: () => {} };
    const runner = new JobRunner(parts);
    runner.start();
    await poll(() => stopped.length).toBe(1);
    await Promise.all(stopped);
    expect(run).not.toHaveBeenCalled();
    expect(await rowOf('taken')).toMatchObject({ taken_by: null, last_done_at: null, failures: 0 });
    startNode(job('taken', run));
    await poll(() => run.mock.calls.length).toBe(1);
  });

  it('that outlast the grace of a node that stops are handed back, and another takes them up at once', async () => {
    const { runner, finish } = await startSlow();
    await runner.stop(50);
    expect(await rowOf('slow')).toMatchObject({ taken_by: null, last_done_at: null, failures: 0 });
    startNode(job('slow', () => Promise.resolve()));
    await poll(async () => (await rowOf('slow'))?.last_done_at ?? null).not.toBeNull();
    const done = await rowOf('slow');
    finish();
    await runner.stop(30_000);
    expect(await rowOf('slow')).toEqual(done);
  });
});

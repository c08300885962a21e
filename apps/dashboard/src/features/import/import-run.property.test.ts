import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT_ONCE, ImportRun, newRows, type Outcome, type RowState } from './import-run.ts';

const HOUR_MS = 3_600_000;
/** How long the service remembers an Idempotency-Key. */
const KEY_LIFE_MS = 24 * HOUR_MS;

/** Microtasks of a page, until nothing follows from what happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

interface Request {
  readonly row: number;
  isCarriedOut: boolean;
  /** Null once its page is gone or has given up. */
  answer: ((outcome: Outcome) => void) | null;
}

/** A service, a browser with a disk, and a clock that the test moves. */
class World {
  nowMs = 0;
  /** Requests at the service, with or without somebody who waits for the answer. */
  requests: Request[] = [];
  readonly enrolments: number[] = [];
  readonly keys = new Map<number, number>();
  readonly disk: RowState[];
  isDiscarded = false;
  mostOnTheWay = 0;
  run: ImportRun;
  #waits: { untilMs: number; then: () => void }[] = [];

  constructor(
    readonly count: number,
    readonly refused: ReadonlySet<number> = new Set(),
  ) {
    this.disk = [...newRows(count)];
    this.run = this.#open();
  }

  #open(): ImportRun {
    this.#waits = [];
    return new ImportRun([...this.disk], {
      send: (row) =>
        new Promise((resolve) => {
          this.requests.push({ row, isCarriedOut: false, answer: resolve });
          this.mostOnTheWay = Math.max(this.mostOnTheWay, this.requests.filter(({ answer }) => answer).length);
        }),
      look: (row) => Promise.resolve(this.enrolments.includes(row)),
      save: async (row, state) => {
        this.disk[row] = state;
      },
      discard: async () => {
        this.isDiscarded = true;
      },
      now: () => this.nowMs,
      wait: (untilMs, then) => this.#waits.push({ untilMs, then }),
    });
  }

  /** SIGKILL of the browser; what it sent stays where it is. */
  kill(): void {
    this.run.dispose();
    for (const request of this.requests) request.answer = null;
    this.run = this.#open();
    this.run.start();
  }

  /** SIGKILL of the service: what was not carried out never is. */
  crash(): void {
    const lost = this.requests;
    this.requests = [];
    for (const { answer } of lost) answer?.({ state: 'lost', reason: 'no-connection' });
  }

  carryOut(request: Request): void {
    const { row } = request;
    if (request.isCarriedOut || this.refused.has(row)) return;
    request.isCarriedOut = true;
    const known = this.keys.get(row);
    if (known !== undefined && this.nowMs - known < KEY_LIFE_MS) return;
    this.keys.set(row, this.nowMs);
    this.enrolments.push(row);
  }

  answer(request: Request): void {
    const { row } = request;
    this.carryOut(request);
    this.requests = this.requests.filter((other) => other !== request);
    request.answer?.(
      this.refused.has(row) ? { state: 'refused', code: 'no-face' } : { state: 'done', deleteAfter: 'later' },
    );
  }

  /** The page gives up waiting; the service may still be at it. */
  lose(request: Request): void {
    const { answer } = request;
    request.answer = null;
    answer?.({ state: 'lost', reason: 'no-connection' });
  }

  refuseForNow(request: Request): void {
    const { answer, isCarriedOut } = request;
    if (isCarriedOut) return;
    this.requests = this.requests.filter((other) => other !== request);
    const untilMs = this.nowMs + 5_000;
    answer?.({ state: 'later', reason: 'rate-limited', untilMs });
  }

  /** No request takes longer than a minute. */
  pass(ms: number): void {
    for (const request of this.requests) this.carryOut(request);
    if (ms > 60_000) this.requests = this.requests.filter(({ answer }) => answer !== null);
    this.nowMs += ms;
    const due = this.#waits.filter(({ untilMs }) => untilMs <= this.nowMs);
    this.#waits = this.#waits.filter(({ untilMs }) => untilMs > this.nowMs);
    for (const { then } of due) then();
  }

  /** From here on everything works. */
  async finish(): Promise<void> {
    this.run.start();
    for (let turn = 0; this.run.state().phase.name !== 'finished'; turn += 1) {
      if (turn > 20 * this.count + 100) throw new Error('the import does not end');
      await settle();
      const [next] = this.requests;
      if (next === undefined) this.pass(31_000);
      else this.answer(next);
    }
    await settle();
  }
}

function expectOnce({ count, refused, enrolments, disk, run, isDiscarded, mostOnTheWay }: World): void {
  const all = Array.from({ length: count }, (_, row) => row);
  expect(enrolments.toSorted((a, b) => a - b)).toEqual(all.filter((row) => !refused.has(row)));
  expect(run.state().rows.map(({ state }) => state)).toEqual(all.map((row) => (refused.has(row) ? 'refused' : 'done')));
  expect(disk).toEqual(run.state().rows);
  expect(isDiscarded).toBe(refused.size === 0);
  expect(mostOnTheWay).toBeLessThanOrEqual(AT_ONCE);
}

describe('an import enrols everybody once', () => {
  const step = fc.oneof(
    ...(['carryOut', 'answer', 'lose', 'refuseForNow'] as const).map((what) =>
      fc.record({ what: fc.constant(what), which: fc.nat({ max: 9 }) }),
    ),
    fc.record({ what: fc.constantFrom('kill' as const, 'crash' as const, 'pause' as const, 'start' as const) }),
    fc.record({ what: fc.constant('pass' as const), ms: fc.constantFrom(1, 2_000, 61_000, 25 * HOUR_MS) }),
  );

  it('whatever is lost, throttled, killed and started again, in any order, over days', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (count, refused, steps) => {
          const world = new World(count, new Set(refused.filter((row) => row < count)));
          world.run.start();
          for (const next of steps) {
            await settle();
            if (next.what === 'kill') world.kill();
            else if (next.what === 'crash') world.crash();
            else if (next.what === 'pass') world.pass(next.ms);
            else if (next.what === 'pause' || next.what === 'start') world.run[next.what]();
            else if ('which' in next) {
              const request = world.requests[next.which % Math.max(1, world.requests.length)];
              if (request !== undefined) world[next.what](request);
            }
          }
          await world.finish();
          expectOnce(world);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('when the request of a killed page is carried out after another one of the same row was put off', async () => {
    const world = new World(1);
    world.run.start();
    await settle();
    world.kill();
    await settle();
    const [, second] = world.requests;
    if (second !== undefined) world.refuseForNow(second);
    await settle();
    world.pass(25 * HOUR_MS);
    await world.finish();
    expectOnce(world);
  });
});

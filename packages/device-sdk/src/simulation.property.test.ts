import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHarness, type Harness, recorded, visit } from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';
import { contentsOf, withPowerCut } from './testing/watched-stores.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Device = Awaited<ReturnType<Harness['create']>>;
type Step =
  | { readonly do: 'sync' | 'sync-offline' | 'restart' | 'enrol' | 'erase' | 'revoke' | 'suspend' | 'resume' }
  | { readonly do: 'wait' | 'shift-wall' | 'set-deadline'; readonly ms: number }
  | { readonly do: 'power-cut'; readonly at: number; readonly when: 'before' | 'after' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ do: 'sync' }) },
  { weight: 4, arbitrary: fc.constantFrom<Step>({ do: 'enrol' }, { do: 'erase' }, { do: 'restart' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'sync-offline' }, { do: 'suspend' }, { do: 'resume' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'revoke' }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(MINUTE, HOUR, 13 * HOUR, DAY, 3 * DAY).map((ms): Step => ({ do: 'wait', ms })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'wait', ms: 16 * DAY }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(-HOUR, -3 * MINUTE, -MINUTE, MINUTE, HOUR).map((ms): Step => ({ do: 'shift-wall', ms })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }).map((h): Step => ({ do: 'set-deadline', ms: h * HOUR })) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('power-cut' as const),
      at: fc.nat({ max: 9 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
);

/** Contents of the service's answers, by version. Times are true times, which only waiting advances. */
interface Told {
  readonly enrolled: boolean;
  readonly deadlineMs: number;
}

/** One device, one service, and an observer's certain knowledge. */
class World {
  readonly harness = createHarness();
  readonly told = new Map<number, Told>();
  device: Device | null = null;
  trueMs = 0;
  deadlineMs = Number.POSITIVE_INFINITY;
  lastAnswerMs = Number.NEGATIVE_INFINITY;
  wipeSeen = false;

  constructor() {
    const { service, time } = this.harness;
    service.sendsDeltas = true;
    const offset = time.clock.wallMs();
    // The service's clock is always right, unlike the device's wall clock.
    Object.defineProperty(service, 'nowMs', { get: () => offset + this.trueMs });
    const { transport } = service;
    Object.defineProperty(service, 'transport', {
      value: async (request: Parameters<typeof transport>[0]) => {
        if (service.wipe === null) {
          const enrolled = service.newest.people.has('ticket-1');
          this.told.set(service.version, { enrolled, deadlineMs: this.deadlineMs });
        }
        return transport(request);
      },
    });
  }

  async open(ports: Parameters<Harness['create']>[0] = {}): Promise<Device> {
    return this.harness.create(ports);
  }

  async wait(ms: number): Promise<void> {
    this.trueMs += ms;
    await this.harness.time.advance(ms);
  }

  async sync(device: Device): Promise<void> {
    const result = await device.syncAsync();
    if (!result.ok) return;
    this.lastAnswerMs = this.trueMs;
    this.wipeSeen = result.outcome === 'wiped';
  }

  async take(step: Step): Promise<void> {
    const { service, time } = this.harness;
    const device = this.device ?? (await this.open());
    this.device = device;
    switch (step.do) {
      case 'sync':
        return this.sync(device);
      case 'sync-offline':
        service.answer = () => Promise.reject(new Error('offline'));
        await device.syncAsync();
        service.answer = null;
        return;
      case 'wait':
        return this.wait(step.ms);
      case 'shift-wall':
        return time.setWall(time.clock.wallMs() + step.ms);
      case 'restart':
        time.restart();
        this.device = await this.open();
        return;
      case 'enrol':
        return service.enrol('ticket-1', templateOf(1), service.nowMs + 300 * DAY);
      case 'erase':
        return service.erase('ticket-1');
      case 'set-deadline':
        this.deadlineMs = this.trueMs + step.ms;
        service.retentionDeadline = new Date(service.nowMs + step.ms).toISOString();
        return;
      case 'revoke':
        service.wipe = 'device-revoked';
        return;
      case 'suspend':
        service.wipe ??= 'account-suspended';
        return;
      case 'resume':
        if (service.wipe === 'account-suspended') service.wipe = null;
        return;
      case 'power-cut': {
        time.restart();
        const stores = withPowerCut(this.harness.ports, step.at, step.when);
        try {
          await this.sync(await this.open({ ports: stores }));
        } catch {
          // Switched off.
        }
        time.restart();
        this.device = await this.open();
        // The answer may or may not have been stored; the device reports it if so.
        const { lastSyncAtMs, erased } = this.device.status();
        if (lastSyncAtMs === service.nowMs) this.lastAnswerMs = this.trueMs;
        this.wipeSeen = erased !== null;
      }
    }
  }

  /** Invariants after every step. */
  async check(device: Device): Promise<void> {
    const { outcome } = await device.verifyLiveAsync('ticket-1', recorded(visit(1, this.harness.direction)));
    const { listVersion, erased } = device.status();
    if (outcome === 'Match') {
      const told = this.told.get(listVersion ?? -1);
      expect(told?.enrolled, 'on the list it was told').toBe(true);
      expect(this.trueMs - this.lastAnswerMs, 'within the lease').toBeLessThan(DAY);
      expect(this.trueMs, 'before the deadline').toBeLessThan(told?.deadlineMs ?? 0);
      expect(this.wipeSeen, 'not after a wipe was seen').toBe(false);
    }
    if (erased !== null) {
      const { packs, listKeys } = await contentsOf(this.harness.ports);
      expect({ packs, listKeys }, 'nothing readable after a wipe').toEqual({ packs: {}, listKeys: {} });
    }
  }
}

describe('whatever happens to a device', () => {
  it('it verifies no one after lease, deadline, erasure or revocation, and keeps nothing after a wipe', {
    timeout: 240_000,
  }, async () => {
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 25 }), async (script) => {
        const world = new World();
        for (const step of [{ do: 'enrol' } as const, { do: 'sync' } as const, ...script]) {
          await world.take(step);
          if (world.device !== null) await world.check(world.device);
        }
        const result = await world.device?.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
        if (result?.outcome === 'Match') matches += 1;
      }),
      { numRuns: Number(process.env.SVC_TEST_SIMULATIONS ?? 60) },
    );
    // A simulation without any match would prove nothing.
    expect(matches).toBeGreaterThan(0);
  });
});

import { applyDelta, memorySource, packParts, parseDelta, parsePack, readPackContent } from '@svc/core/pack';
import { DAY_MS, HOUR_MS } from '@svc/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestDevice } from './device.ts';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;

beforeAll(async () => {
  // Two nodes, each with its own caches, which get the requests in turn from a proxy.
  service = await startTestService(undefined, { SVC_TEST_NODES: '2' });
  organiser = await service.createOrganiser();
});
afterAll(() => service.close());

async function applied(pack: Uint8Array, delta: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const result = applyDelta(await readPackContent(memorySource(pack)), parseDelta(delta));
  for await (const part of packParts(result)) parts.push(part);
  return Uint8Array.from(Buffer.concat(parts));
}

/** A device that applies the changes it is sent, and checks each result against the signed state hash. */
class Follower {
  readonly device: TestDevice;
  readonly #listId: string;
  readonly #id: string;
  pack: Uint8Array | null = null;
  readonly kinds: number[] = [];

  constructor(listId: string, added: { readonly id: string; readonly token: string }) {
    this.device = new TestDevice(service, added.token);
    this.#listId = listId;
    this.#id = added.id;
  }

  static async of(listId: string): Promise<Follower> {
    return new Follower(listId, await organiser.addDevice(listId));
  }

  get version(): number {
    return this.pack === null ? 0 : parsePack(this.pack).listVersion;
  }

  async sync(): Promise<number> {
    const since = this.version;
    const { manifest, payloadKind, payload } = await this.device.sync({ since });
    this.kinds.push(payloadKind);
    expect(manifest.fromVersion).toBe(payloadKind === 1 ? 0 : since);
    if (payloadKind === 1) this.pack = Uint8Array.from(payload);
    if (payloadKind === 2) this.pack = await applied(this.pack ?? new Uint8Array(), payload);
    const held = parsePack(this.pack ?? new Uint8Array());
    expect([held.listVersion, held.recordCount]).toEqual([manifest.toVersion, manifest.recordCount]);
    expect(Buffer.from(held.stateHash()).toString('base64url')).toBe(manifest.stateHash);
    if (this.kinds.length === 1) await this.#isKnown();
    return payloadKind;
  }

  /** Sync times are written up to a second late. */
  async #isKnown(): Promise<void> {
    await vi.waitFor(
      async () => {
        const { body } = await organiser.call('GET', `/v1/lists/${this.#listId}/devices`);
        const items = body.items as { id: string; lastSyncAt: string | null }[];
        expect(items.find(({ id }) => id === this.#id)?.lastSyncAt).not.toBeNull();
      },
      { timeout: 30_000, interval: 100 },
    );
  }
}

/** The answer to a device that holds nothing. */
async function whole(follower: Follower): Promise<Uint8Array> {
  const { payloadKind, payload } = await follower.device.sync({ since: 0 });
  expect(payloadKind).toBe(1);
  return Uint8Array.from(payload);
}

async function listOf(people: number, retainDays = 365): Promise<string> {
  const { listId } = await organiser.createList({ name: 'Members', ongoing: true, country: 'DE', retainDays });
  for (let i = 0; i < people; i += 1) expect((await organiser.enrol(listId, `T-${i}`)).status).toBe(201);
  return listId;
}
const erase = (listId: string, personId: string) =>
  organiser.call('DELETE', `/v1/lists/${listId}/people/${personId}?reason=consent-withdrawn`);

type Step =
  | { readonly do: 'enrol' | 'erase'; readonly who: number }
  | { readonly do: 'wait' | 'close' }
  | { readonly do: 'sync'; readonly device: number };
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('enrol' as const), who: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('erase' as const), who: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'wait' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'close' }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('sync' as const), device: fc.nat(1) }) },
);

describe('changes between two versions', () => {
  it('turn what a device holds into the current pack, whatever happened in between', async () => {
    let deltas = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: 18 }), async (history) => {
        const listId = await listOf(6, 4);
        const devices = [await Follower.of(listId), await Follower.of(listId)];
        await Promise.all(devices.map((device) => device.sync()));
        for (const [turn, step] of history.entries()) {
          // Enrolling the same person again gives a new face; after closing it is refused and changes nothing.
          if (step.do === 'enrol') await organiser.enrol(listId, `T-${step.who}`, `face ${turn}`);
          if (step.do === 'erase') await erase(listId, `T-${step.who}`);
          if (step.do === 'close') await organiser.call('POST', `/v1/lists/${listId}/close-enrollment`);
          // People enrolled earlier are withheld from the third day on.
          if (step.do === 'wait') service.clock.nowMs += 20 * HOUR_MS;
          if (step.do === 'sync') await devices[step.device]?.sync();
        }
        for (const device of devices) {
          await device.sync();
          expect(Buffer.compare(device.pack ?? new Uint8Array(), await whole(device))).toBe(0);
          deltas += device.kinds.filter((kind) => kind === 2).length;
        }
      }),
      { numRuns: Number(process.env.SVC_TEST_DELTA_HISTORIES ?? 4) },
    );
    expect(deltas).toBeGreaterThan(0);
  }, 1_800_000);

  it('are sent by every node alike to devices that hold different versions', async () => {
    const listId = await listOf(8);
    const [near, far] = [await Follower.of(listId), await Follower.of(listId)];
    await Promise.all([near.sync(), far.sync()]);
    await erase(listId, 'T-1');
    expect(await near.sync()).toBe(2);
    await organiser.enrol(listId, 'T-2', 'another face');
    const payloads = [];
    for (const device of [near, far, near, far]) {
      const { payloadKind, payload, manifest } = await device.device.sync({ since: device.version });
      expect(payloadKind).toBe(2);
      payloads.push([manifest.fromVersion, payload.toString('hex')]);
    }
    expect(payloads[2]).toEqual(payloads[0]);
    expect(payloads[3]).toEqual(payloads[1]);
    expect(payloads[1]).not.toEqual(payloads[0]);
    await Promise.all([near.sync(), far.sync()]);
    expect(Buffer.compare(near.pack ?? new Uint8Array(), far.pack ?? new Uint8Array(1))).toBe(0);
  });

  it('say what closing, ending and withholding change', async () => {
    const listId = await listOf(6, 3);
    const device = await Follower.of(listId);
    await device.sync();
    await organiser.call('POST', `/v1/lists/${listId}/close-enrollment`);
    expect(await device.sync()).toBe(2);
    expect(await device.sync()).toBe(0);
    service.clock.nowMs += 2 * DAY_MS + HOUR_MS;
    // All are due within a day: the empty pack is smaller than six removals.
    expect(await device.sync()).toBe(1);
    expect(parsePack(device.pack ?? new Uint8Array()).recordCount).toBe(0);
    expect((await organiser.call('POST', `/v1/lists/${listId}/end`)).status).toBe(200);
    await device.sync();
    expect(Buffer.compare(device.pack ?? new Uint8Array(), await whole(device))).toBe(0);
  });
});

describe('the whole pack is sent', () => {
  it('if it is smaller', async () => {
    const listId = await listOf(1);
    const device = await Follower.of(listId);
    await device.sync();
    await organiser.enrol(listId, 'T-0', 'another face');
    expect(await device.sync()).toBe(1);
  });

  it('to a device that claims a future version', async () => {
    const listId = await listOf(5);
    const device = await Follower.of(listId);
    await device.sync();
    const { payloadKind, manifest } = await device.device.sync({ since: device.version + 7 });
    expect([payloadKind, manifest.toVersion]).toEqual([1, device.version]);
  });

  it('to a device that never synced, whatever it claims to hold', async () => {
    const listId = await listOf(5);
    const device = await Follower.of(listId);
    await erase(listId, 'T-1');
    expect((await device.device.sync({ since: 2 })).payloadKind).toBe(1);
  });

  it('from thirty days on, before any removal is forgotten', async () => {
    const listId = await listOf(5);
    const device = await Follower.of(listId);
    await device.sync();
    await erase(listId, 'T-1');
    service.clock.nowMs += 30 * DAY_MS - 1;
    const inTime = await device.device.sync({ since: device.version });
    expect(inTime.payloadKind).toBe(2);
    const late = await Follower.of(listId);
    await late.sync();
    await erase(listId, 'T-2');
    service.clock.nowMs += 30 * DAY_MS;
    expect((await late.device.sync({ since: late.version })).payloadKind).toBe(1);
  });
});

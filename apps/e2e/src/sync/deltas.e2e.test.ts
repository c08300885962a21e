import type { SyncDevice } from '@svc/benchmarks/inputs/sync-device';
import { applyDelta, memorySource, packParts, parseDelta, parsePack, readPackContent } from '@svc/core/pack';
import { type AddedDevice, DAY_MS, HOUR_MS } from '@svc/protocol';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { startService, syncDeviceOf } from '../support/service.ts';

let nowMs = Date.parse('2027-03-02T10:00:00.000Z');
// Two nodes, each with its own caches, which get the requests in turn from a proxy.
const service = await startService({ clock: { now: () => nowMs }, environment: { SVC_TEST_NODES: '2' } });
afterAll(() => service.close());

async function applied(pack: Uint8Array, delta: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const result = applyDelta(await readPackContent(memorySource(pack)), parseDelta(delta));
  for await (const part of packParts(result)) parts.push(part);
  return Uint8Array.from(Buffer.concat(parts));
}

/** A device that applies the changes it is sent, and checks each result against the signed state hash. */
class Follower {
  readonly device: SyncDevice;
  readonly #listId: string;
  readonly #id: string;
  pack: Uint8Array | null = null;
  readonly kinds: number[] = [];

  constructor(listId: string, added: AddedDevice) {
    this.device = syncDeviceOf(service.api, added.token);
    [this.#listId, this.#id] = [listId, added.id];
  }

  static async of(listId: string): Promise<Follower> {
    return new Follower(listId, await service.addDevice(listId));
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
    expect(() => parsePack(this.pack ?? new Uint8Array())).not.toThrow();
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
        type Items = { items: { id: string; lastSyncAt: string | null }[] };
        const { items } = await service.call<Items>('GET', `/v1/lists/${this.#listId}/devices`);
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
  const listId = await service.createList({ name: 'Members', ongoing: true, retainDays });
  for (let i = 0; i < people; i += 1) expect((await service.enrol(listId, `T-${i}`)).status).toBe(201);
  return listId;
}
const erase = (listId: string, personId: string) =>
  service.customer.request('DELETE', `/v1/lists/${listId}/people/${personId}?reason=consent-withdrawn`);

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

it('changes turn what a device holds into the current pack, whatever happened in between', async () => {
  let deltas = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: 18 }), async (history) => {
      const listId = await listOf(6, 4);
      const devices = [await Follower.of(listId), await Follower.of(listId)];
      await Promise.all(devices.map((device) => device.sync()));
      for (const step of history) {
        // Enrolling the same person again makes a new record; after closing it is refused and changes nothing.
        if (step.do === 'enrol') await service.enrol(listId, `T-${step.who}`);
        if (step.do === 'erase') await erase(listId, `T-${step.who}`);
        if (step.do === 'close') await service.call('POST', `/v1/lists/${listId}/close-enrollment`);
        // People enrolled earlier are withheld from the third day on.
        if (step.do === 'wait') nowMs += 20 * HOUR_MS;
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

it('an erasure is told as a change', async () => {
  const listId = await listOf(6);
  const device = await Follower.of(listId);
  await device.sync();
  await erase(listId, 'T-2');
  expect(await device.sync()).toBe(2);
  expect(Buffer.compare(device.pack ?? new Uint8Array(), await whole(device))).toBe(0);
});

it('the whole pack is sent if it is smaller, and to a device that claims a version which it cannot have', async () => {
  const small = await listOf(1);
  const device = await Follower.of(small);
  await device.sync();
  await service.enrol(small, 'T-0');
  expect(await device.sync()).toBe(1);

  const listId = await listOf(5);
  const ahead = await Follower.of(listId);
  await ahead.sync();
  const { payloadKind, manifest } = await ahead.device.sync({ since: ahead.version + 7 });
  expect([payloadKind, manifest.toVersion]).toEqual([1, ahead.version]);
  const never = await Follower.of(listId);
  await erase(listId, 'T-1');
  expect((await never.device.sync({ since: 2 })).payloadKind).toBe(1);
});

it('the whole pack is sent from thirty days on, before any removal is forgotten', async () => {
  const listId = await listOf(5);
  const device = await Follower.of(listId);
  await device.sync();
  await erase(listId, 'T-1');
  nowMs += 30 * DAY_MS - 1;
  expect((await device.device.sync({ since: device.version })).payloadKind).toBe(2);
  nowMs += 1;
  expect((await device.device.sync({ since: device.version })).payloadKind).toBe(1);
});

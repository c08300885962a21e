import { describe, expect, it } from 'vitest';
import type { TransportAnswer } from '../platform/transport.ts';
import { createHarness, type Harness, recorded, visit } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { type FakeService, syncAnswer } from '../testing/fake-service.ts';

const HOUR_MS = 60 * 60_000;

/** A device before its first sync, and a service of two people that sends every payload by link. */
async function linked(over: Partial<FakeService> = {}) {
  const harness = createHarness();
  const { service } = harness;
  service.enrol('ticket-1', templateOf(1));
  service.enrol('ticket-2', templateOf(2));
  Object.assign(service, { linksAbove: 0, ...over });
  return { harness, service, device: await harness.create() };
}

/** Each request as `sync` with the device's word on payloads, or `payload` with its origin. */
const asked = ({ service }: Harness) =>
  service.requests.map(({ url, headers }) => {
    const { origin, pathname } = new URL(url);
    return pathname.startsWith('/v1/packs/') ? `payload ${origin}` : `sync ${headers['Svc-Payloads']}`;
  });
const OWN = 'payload https://api.test';

describe('a payload by link', () => {
  it.each(['', 'https://packs.test'])(
    'is fetched without a token, a key or any header, whole and as changes',
    async (linkOrigin) => {
      const { harness, service, device } = await linked({ linkOrigin });
      expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
      service.enrol('ticket-3', templateOf(3));
      service.sendsDeltas = true;
      expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 3 });
      expect(await device.verifyLiveAsync('ticket-3', recorded(visit(3, 'left')))).toMatchObject({ outcome: 'Match' });
      const at = linkOrigin === '' ? OWN : `payload ${linkOrigin}`;
      expect(asked(harness)).toEqual(['sync by-link', at, 'sync by-link', at]);
      const fetches = service.requests.filter(({ url }) => url.includes('/v1/packs/'));
      expect(fetches.map(({ headers }) => headers)).toEqual([{}, {}]);
    },
  );

  it('is taken as it follows from a service that has no links', async () => {
    const { harness, device } = await linked({ linksAbove: null });
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 2 });
    expect(asked(harness)).toEqual(['sync by-link']);
  });

  it('that is gone is asked for inline in the same sync, and the next one is by link, but not after two in a row', async () => {
    const gone = (bytes: Uint8Array) => syncAnswer(bytes, { status: 404 });
    const { harness, service, device } = await linked({ fetched: gone });
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 2 });
    service.enrol('ticket-3', templateOf(3));
    await device.syncAsync();
    const gones = ['sync by-link', OWN, 'sync gone'];
    expect(asked(harness)).toEqual([...gones, ...gones]);
    await harness.time.advance(HOUR_MS - 1);
    await device.syncAsync();
    await harness.time.advance(1);
    service.fetched = (bytes) => syncAnswer(bytes);
    for (const n of [4, 5]) {
      service.enrol(`ticket-${n}`, templateOf(n));
      if (n === 5) service.fetched = gone;
      await device.syncAsync();
    }
    await device.syncAsync();
    expect(asked(harness).slice(6)).toEqual(['sync undefined', 'sync by-link', OWN, ...gones, 'sync by-link']);
  });

  it('with changes to another version than the device holds is not fetched', async () => {
    const { harness, service, device } = await linked();
    await device.syncAsync();
    service.enrol('ticket-3', templateOf(3));
    service.sendsDeltas = true;
    service.bend = (draft) => {
      if (draft.payloadKind === 2) draft.manifest = { ...draft.manifest, fromVersion: 0 };
    };
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 3 });
    expect(asked(harness)).toEqual(['sync by-link', OWN, 'sync by-link', 'sync by-link', OWN]);
  });

  const never = new Promise<TransportAnswer>(() => undefined);
  it.each<[string, string, FakeService['fetched'], number?]>([
    ['a page of a portal', 'mismatch', () => syncAnswer(new TextEncoder().encode('<html>'))],
    ['other bytes of that length', 'mismatch', (bytes) => syncAnswer(bytes.map((byte) => byte ^ 1))],
    ['a part', 'mismatch', (bytes) => syncAnswer(bytes.subarray(1))],
    ['more', 'unavailable', (bytes) => syncAnswer(Uint8Array.of(...bytes, 0))],
    ['a failure', 'unavailable', (bytes) => syncAnswer(bytes, { status: 502 })],
    ['no answer', 'unavailable', () => Promise.reject(new Error('refused'))],
    ['no end', 'unavailable', () => never, 120_000],
  ])(
    'that is %s is never used: inline now and for an hour, and the service learns “%s” once',
    async (_, reason, fetched, waitMs = 0) => {
      const { harness, service, device } = await linked({ fetched });
      const first = device.syncAsync();
      await expect.poll(() => asked(harness)).toContain(OWN);
      await harness.time.advance(waitMs);
      expect(await first).toMatchObject({ ok: true, people: 2 });
      await harness.time.advance(HOUR_MS - 1);
      service.enrol('ticket-3', templateOf(3));
      await device.syncAsync();
      await harness.time.advance(1);
      await device.syncAsync();
      expect(asked(harness)).toEqual(['sync by-link', OWN, `sync ${reason}`, 'sync undefined', 'sync by-link']);
    },
  );

  it.each(['http://packs.test/v1/packs/x', 'https://user@packs.test/x', 'ftp://packs.test/x', 'packs.test/x'])(
    'is not fetched at %s',
    async (payloadUrl) => {
      const { harness, service, device } = await linked();
      service.bend = (draft) => {
        if (draft.manifest.payloadUrl !== undefined) draft.manifest = { ...draft.manifest, payloadUrl };
      };
      expect(await device.syncAsync()).toMatchObject({ ok: true, people: 2 });
      expect(asked(harness)).toEqual(['sync by-link', 'sync unavailable']);
    },
  );

  it('is refused where the device asked for it inline', async () => {
    const { harness, service, device } = await linked({ fetched: (bytes) => syncAnswer(bytes, { status: 500 }) });
    service.bend = (draft) => {
      const { payloadSha256 } = draft.manifest;
      draft.manifest = { ...draft.manifest, payloadUrl: `/v1/packs/${payloadSha256}`, payloadBytes: 9 };
      draft.payload = new Uint8Array();
    };
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'payload-hash-mismatch' });
    expect(asked(harness)).toHaveLength(3);
  });

  it('above the device’s own limit is not begun', async () => {
    const { harness, service, device } = await linked();
    service.bend = (draft) => {
      draft.manifest = { ...draft.manifest, payloadBytes: 2 ** 40 };
    };
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'too-long' });
    expect(asked(harness)).toEqual(['sync by-link']);
  });

  it('has no part in a wipe, which its manifest orders alone', async () => {
    const { harness, service, device } = await linked();
    await device.syncAsync();
    service.wipe = 'device-revoked';
    service.fetched = () => never;
    expect(await device.syncAsync()).toMatchObject({ outcome: 'wiped', reason: 'device-revoked' });
    expect(asked(harness)).toEqual(['sync by-link', OWN, 'sync by-link']);
  });
});

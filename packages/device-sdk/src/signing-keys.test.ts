import { ed25519 } from '@noble/curves/ed25519.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { toBase64Url } from './platform/bytes.ts';
import { answer, createHarness, type Harness, readyDevice } from './testing/device-harness.ts';
import type { Draft } from './testing/fake-service.ts';
import { signingKeyId } from './trust/region.ts';

const secretOf = (seed: number) => new Uint8Array(32).fill(seed);
const publicOf = (secret: Uint8Array) => ed25519.getPublicKey(secret);
const text = (secret: Uint8Array) => toBase64Url(publicOf(secret));
const next = secretOf(71);
const stranger = secretOf(72);

let harness: Harness;
let first: Uint8Array;
beforeEach(() => {
  harness = createHarness();
  first = harness.service.signingSecret;
});

/** Sets the keys that the service announces from now on, and the one that signs. */
function serve(signing: Uint8Array, announced: readonly Uint8Array[] | null): void {
  harness.service.bend = (draft: Draft) => {
    if (announced !== null) draft.manifest = { ...draft.manifest, signingKeys: announced.map(text) };
    draft.keyId = signingKeyId(publicOf(signing));
    draft.sign = (message) => ed25519.sign(message, signing);
  };
}

const unknown = { ok: false, reason: 'unknown-signing-key' };

describe('signing keys that change over', () => {
  it('follow an announcement by a trusted key, across restarts; the former key is no longer trusted', async () => {
    serve(first, [first, next]);
    let device = await readyDevice(harness);
    serve(next, [next, first]);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    await device.dispose();
    device = await harness.create();
    serve(first, [next, first]);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    serve(next, [next]);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    serve(first, [first]);
    expect(await device.syncAsync()).toEqual(unknown);
    await device.dispose();
    device = await harness.create();
    expect(await device.syncAsync()).toEqual(unknown);
    expect(await answer(device)).toBe('Match/verified');
    serve(next, [next]);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
  });

  it('are not taken from an answer that is refused or not signed by a trusted key', async () => {
    const device = await readyDevice(harness);
    serve(stranger, [stranger, first]);
    expect(await device.syncAsync()).toEqual(unknown);
    serve(first, [first, stranger]);
    const { bend } = harness.service;
    harness.service.bend = async (draft) => {
      await bend(draft);
      draft.manifest = { ...draft.manifest, nonce: 'A'.repeat(22) };
    };
    expect(await device.syncAsync()).toMatchObject({ ok: false, reason: 'other-nonce' });
    serve(stranger, null);
    expect(await device.syncAsync()).toEqual(unknown);
  });

  it('are not replaced by a set without the key that signed it', async () => {
    const device = await readyDevice(harness);
    serve(first, [stranger]);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    serve(first, null);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
  });

  it('are the configured ones again if the configuration changes', async () => {
    serve(first, [first, next]);
    await (await readyDevice(harness)).dispose();
    const region = { ...harness.service.region, signingKeys: [text(stranger)] };
    const device = await harness.create({ region });
    serve(first, null);
    expect(await device.syncAsync()).toEqual(unknown);
    serve(stranger, null);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
  });
});

describe('the number of an answer', () => {
  const shown = () => harness.service.requests.map(({ headers }) => headers['Svc-Sync-Counter']);
  const number = (counter: number) => {
    harness.service.bend = (draft) => {
      draft.manifest = { ...draft.manifest, syncCounter: counter };
    };
  };

  it('is sent at the next sync, across restarts, as that of the last stored answer', async () => {
    number(4);
    let device = await readyDevice(harness);
    number(9);
    await device.syncAsync();
    await device.dispose();
    device = await harness.create();
    harness.service.bend = (draft) => {
      draft.manifest = { ...draft.manifest, syncCounter: 30 };
      draft.sign = () => new Uint8Array(64);
    };
    await device.syncAsync();
    number(31);
    await device.syncAsync();
    await device.syncAsync();
    expect(shown()).toEqual([undefined, '4', '9', '9', '31']);
  });
});

import { parseEnvelope, recordSize } from '@svc/core/pack';
import { describe, expect, it } from 'vitest';
import { createHarness, recorded, visit } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { DIMENSION, syncAnswer } from '../testing/fake-service.ts';
import { contentsOf } from '../testing/watched-stores.ts';

// Step between tested bits; the long run tests every bit (SVC_TEST_BIT_FLIP_STEP=1). A prime, so that every bit of a
// byte is covered.
const step = Number(process.env.SVC_TEST_BIT_FLIP_STEP ?? 23);

/**
 * A device with two people, about to receive a third; all requests have the same nonce, so that one answer fits them
 * all.
 */
async function aboutToSync(sendsDeltas: boolean) {
  const harness = createHarness();
  const { service } = harness;
  service.sendsDeltas = sendsDeltas;
  for (const who of [1, 2]) service.enrol(`ticket-${who}`, templateOf(who));
  const random = { bytes: (length: number) => new Uint8Array(length).fill(8) };
  const device = await harness.create({ ports: { random } });
  expect(await device.syncAsync()).toMatchObject({ ok: true, people: 2 });
  service.enrol('ticket-3', templateOf(3));
  let honest = new Uint8Array();
  service.bend = (draft) => {
    draft.body = (bytes) => {
      honest = bytes.slice();
      return new Uint8Array();
    };
  };
  expect(await device.syncAsync()).toMatchObject({ ok: false });
  return { harness, device, honest };
}

describe.each([
  ['a whole pack', false],
  ['changes', true],
])('an answer of %s with one bit flipped', (_what, sendsDeltas) => {
  it(`is never accepted, and nothing of it is stored: every ${step} bits of its envelope and its records`, async () => {
    const { harness, device, honest } = await aboutToSync(sendsDeltas);
    const { payload } = parseEnvelope(honest);
    const headBits = (honest.length - payload.length) * 8;
    // The last three records of a pack; for changes, everything.
    const fromBit = Math.max(headBits, (honest.length - 3 * recordSize(DIMENSION)) * 8);
    const before = await contentsOf(harness.ports);
    const accepted: number[] = [];
    const tryBit = async (bit: number) => {
      const flipped = honest.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      harness.service.answer = async () => syncAnswer(flipped);
      if ((await device.syncAsync()).ok) accepted.push(bit);
    };
    for (let bit = 0; bit < headBits; bit += step) await tryBit(bit);
    for (let bit = fromBit; bit < honest.length * 8; bit += step) await tryBit(bit);
    expect(accepted).toEqual([]);
    expect(await contentsOf(harness.ports)).toEqual(before);
    expect(await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')))).toMatchObject({ outcome: 'Match' });
    harness.service.answer = async () => syncAnswer(honest.slice());
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 3 });
  }, 3_600_000);
});

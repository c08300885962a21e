import { deepStrictEqual, equal } from 'node:assert/strict';
import { loadCore } from '@svc/core';
import { type Aead, createWasmAead } from '@svc/core/aead';
import { createNobleAead } from '@svc/core/aead-noble';
import { type DeriveFromListKey, type ListKey, openRecord, sealRecord } from '@svc/core/pack';
import { createNodeAead, createWebCryptoAead } from '@svc/core/testing/peers';
import { createHarness, readyDevice, recorded, visit } from '@svc/device-sdk/testing';
import { pseudoRandomBytes, pseudoRandomFloats } from '../inputs/random.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

const person = { listId: 'lst_bench', epoch: 1, engineId: 'bench/1', dimension: 256, personId: 'person-1' };
const deleteAfterMs = 4_102_444_800_000;

/** A list key as in a page: a base key that scripts can use for derivation but not read. */
async function keptKey(raw: Uint8Array): Promise<DeriveFromListKey> {
  const key = await crypto.subtle.importKey('raw', Uint8Array.from(raw), 'HKDF', false, ['deriveBits']);
  return async (salt, info, length) => {
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: Uint8Array.from(salt), info: Uint8Array.from(info) };
    return new Uint8Array(await crypto.subtle.deriveBits(hkdf, key, length * 8));
  };
}

/** One record and one visit with the core's AEAD, beside the adapters that were used before. */
export const createSuite: SuiteFactory = async () => {
  const listKey = pseudoRandomBytes(32, 1);
  const template = pseudoRandomFloats(person.dimension, 2);
  const core = createWasmAead(await loadCore());
  const adapters: readonly Aead[] = [core, createNodeAead(), createWebCryptoAead(), createNobleAead()];
  const seal = (aead: Aead) => sealRecord(aead, { ...person, listKey, template, deleteAfterMs });
  const record = await seal(core);
  const open = async (aead: Aead, key: ListKey = listKey) => {
    const opened = await openRecord(aead, { ...person, listKey: key, record });
    const copy = opened.slice();
    opened.fill(0);
    return copy;
  };
  const expected = await open(createNodeAead());
  const kept = await keptKey(listKey);
  const cases = adapters.flatMap((aead): BenchCase[] => [
    {
      name: `seal a record, ${aead.name}`,
      run: () => seal(aead),
      check: async () =>
        deepStrictEqual(await openRecord(core, { ...person, listKey, record: await seal(aead) }), expected),
    },
    {
      name: `open a record, ${aead.name}`,
      run: () => open(aead),
      check: async () => deepStrictEqual(await open(aead), expected),
    },
  ]);
  cases.push({
    name: 'open a record, wasm, its key derived by WebCrypto',
    run: () => open(core, kept),
    check: async () => deepStrictEqual(await open(core, kept), expected),
  });
  for (const aead of adapters.slice(0, 3)) {
    const harness = createHarness();
    const device = await readyDevice(harness, { ports: { aead } });
    const verify = async () => {
      const { outcome } = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
      // The drawn faces, kept by the harness for tests.
      harness.engine.handedOut.splice(0);
      return outcome;
    };
    cases.push({
      name: `a visit without its models, ${aead.name}`,
      run: verify,
      check: async () => equal(await verify(), 'Match'),
    });
  }
  const beside = (what: string, other: string) => ({
    name: `${what}: wasm over ${other}`,
    fast: `${what}, wasm`,
    slow: `${what}, ${other}`,
  });
  return {
    title: 'One record, one visit',
    about:
      'Sealing and opening a record of 256 numbers, key derivation included, and a whole visit of 24 frames whose faces are drawn instead of found: by the core’s AES-256-GCM, which devices and the service use, and by the adapters that did it before.',
    cases,
    ratios: [
      ...['seal a record', 'open a record'].flatMap((what) =>
        ['node', 'webcrypto', 'noble'].map((other) => beside(what, other)),
      ),
      ...['node', 'webcrypto'].map((other) => beside('a visit without its models', other)),
    ],
  };
};

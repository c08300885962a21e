import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FaceError } from '../errors.ts';
import { createNodeAead } from '../testing/peers.ts';
import { openRecord, recordSize, sealRecord } from './index.ts';

// SVC_TEST_BIT_FLIP_RECORDS sets more.
const records = Number(process.env.SVC_TEST_BIT_FLIP_RECORDS ?? 3);
const listKey = new Uint8Array(32).fill(5);
const context = { listId: 'lst_1', epoch: 1, engineId: 'bits/1', dimension: 128 } as const;
const bytesOf = (seed: string, length: number) =>
  new Uint8Array(createHash('shake256', { outputLength: length }).update(seed).digest());

describe('a record with one bit flipped', () => {
  it(`never opens: every bit of ${records}`, async () => {
    const aead = createNodeAead();
    let [accepted, flips] = [0, 0];
    for (let i = 0; i < records; i += 1) {
      const personId = `T-${i}`;
      const template = Float32Array.from(bytesOf(`template ${i}`, 128), (byte) => (byte - 128) / 1_000);
      const record = await sealRecord(aead, {
        ...context,
        listKey,
        personId,
        template,
        deleteAfterMs: 4_102_444_800_000 + i,
      });
      const opening = { ...context, listKey, personId };
      (await openRecord(aead, { ...opening, record })).fill(0);
      for (let bit = 0; bit < record.length * 8; bit += 1) {
        const at = bit >> 3;
        record[at] = (record[at] ?? 0) ^ (1 << (bit & 7));
        const opened = await openRecord(aead, { ...opening, record }).catch((error: unknown) => {
          if (!FaceError.is(error) || error.code !== 'open-failed') throw error;
          return null;
        });
        if (opened !== null) accepted += 1;
        record[at] = (record[at] ?? 0) ^ (1 << (bit & 7));
        flips += 1;
      }
    }
    expect([accepted, flips]).toEqual([0, records * recordSize(128) * 8]);
  }, 3_600_000);
});

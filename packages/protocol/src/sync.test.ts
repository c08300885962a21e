import { describe, expect, it } from 'vitest';
import {
  attendances,
  deviceKeyHeaderSchema,
  nonceHeaderSchema,
  type SyncManifest,
  syncManifestSchema,
  syncQuerySchema,
} from './sync.ts';

const keep: SyncManifest = {
  format: 1,
  command: 'keep',
  listId: 'lst_01jwnafy00e2rbg3vfk4s6q9tz',
  deviceId: 'dev_01jwnafy00e2rbg3vfk4s6q9tz',
  deviceKeyThumbprint: 'A'.repeat(43),
  nonce: 'A'.repeat(22),
  fromVersion: 0,
  toVersion: 3,
  recordCount: 2,
  payloadSha256: 'A'.repeat(43),
  stateHash: 'A'.repeat(43),
  issuedAt: '2026-06-01T09:30:00.000Z',
  leaseExpiresAt: '2026-06-02T09:30:00.000Z',
  retentionDeadline: null,
  enrollmentClosed: false,
  headTurnAlternative: 'none',
  epochs: [1].map((epoch) => ({
    epoch,
    engineId: 'engine/1',
    dimension: 128,
    matchThreshold: 0.9,
    sealedListKey: { enc: 'A'.repeat(87), ciphertext: 'A'.repeat(64) },
  })),
};
const wipe: SyncManifest = {
  ...keep,
  command: 'wipe',
  reason: 'device-revoked',
  toVersion: 0,
  recordCount: 0,
  stateHash: '',
  epochs: [],
};
const at = (epoch: number) => keep.epochs.map((one) => ({ ...one, epoch }));

describe('sync manifest', () => {
  it('keeps and wipes', () => {
    expect(syncManifestSchema.parse(keep)).toEqual(keep);
    expect(syncManifestSchema.parse(wipe)).toEqual(wipe);
  });

  it('leaves out what it does not know, so that a newer server can add to it', () => {
    expect(syncManifestSchema.parse({ ...keep, added: 1 })).toEqual(keep);
  });

  it('takes what people do instead of the turn for nothing where it is left out or unknown', () => {
    const { headTurnAlternative: _, ...older } = keep;
    expect(syncManifestSchema.parse(older)).toEqual(keep);
    for (const headTurnAlternative of ['nod', null, 1, ['staff']]) {
      expect(syncManifestSchema.parse({ ...keep, headTurnAlternative })).toEqual(keep);
    }
    expect(syncManifestSchema.parse({ ...keep, headTurnAlternative: 'staff' }).headTurnAlternative).toBe('staff');
  });

  const sealedSecret = { enc: 'A'.repeat(87), ciphertext: 'A'.repeat(64) };
  const url = 'https://example.com/check-ins?door=1';

  it('has names, a policy of re-entry and an address of check-ins, or none of them', () => {
    const names = { event: 'Summer concert', list: 'Guests', device: 'North gate 3' };
    for (const added of [
      { names },
      { names: { ...names, organiser: 'Riverside Hall', event: null } },
      ...(['off', 'warn', 'refuse'] as const).map((reEntry) => ({ reEntry })),
      ...attendances.map((attendance) => ({ attendance })),
      { checkIn: { url, sealedSecret } },
      { checkIn: { url: 'http://127.0.0.1:4000/', sealedSecret } },
    ]) {
      expect(syncManifestSchema.parse({ ...keep, ...added })).toStrictEqual({ ...keep, ...added });
    }
    expect(syncManifestSchema.parse(keep)).toStrictEqual(keep);
  });

  it('has staff decide by a policy of re-entry that it does not know', () => {
    for (const reEntry of ['once-a-day', '', null, 1, ['off']]) {
      expect(syncManifestSchema.parse({ ...keep, reEntry }).reEntry).toBe('refuse');
    }
  });

  it('takes names and an address of another shape for none', () => {
    for (const names of [null, 'Guests', {}, { event: 1, list: 'a', device: 'b' }, { event: null, list: 'a' }]) {
      expect(syncManifestSchema.parse({ ...keep, names }).names).toBeUndefined();
    }
    const names = { event: null, list: 'a', device: 'b' };
    expect(syncManifestSchema.parse({ ...keep, names: { ...names, added: 'later' } }).names).toStrictEqual(names);
    for (const other of [
      'http://example.com/',
      'http://127.0.0.1.example.com/',
      'https://user@example.com/',
      'https://example.com/#a',
      'https://exa\tmple.com/',
      'https://example.com\\@a.test/',
      'https:///a',
      'ftp://example.com/',
      `https://example.com/${'a'.repeat(2_000)}`,
      null,
    ]) {
      expect(syncManifestSchema.parse({ ...keep, checkIn: { url: other, sealedSecret } }).checkIn, `${other}`).toBe(
        undefined,
      );
    }
    const short = { ...sealedSecret, ciphertext: 'A'.repeat(63) };
    expect(syncManifestSchema.parse({ ...keep, checkIn: { url, sealedSecret: short } }).checkIn).toBeUndefined();
  });

  it.each<[string, object]>([
    ['a wipe without a reason', { ...wipe, reason: undefined }],
    ['a wipe with keys', { ...wipe, epochs: keep.epochs }],
    ['a wipe with a version', { ...wipe, toVersion: 1 }],
    ['a wipe with records', { ...wipe, recordCount: 1 }],
    ['a wipe with a state', { ...wipe, stateHash: 'A'.repeat(43) }],
    ['a keep with a reason', { ...keep, reason: 'list-deleted' }],
    ['a keep without a state', { ...keep, stateHash: '' }],
    ['a keep without an epoch', { ...keep, epochs: [] }],
    ['versions that fall', { ...keep, fromVersion: 4 }],
    ['epochs oldest first', { ...keep, epochs: [...at(1), ...at(2)] }],
    ['an epoch twice', { ...keep, epochs: [...at(2), ...at(2)] }],
    ['another format', { ...keep, format: 2 }],
    ['another command', { ...keep, command: 'erase' }],
    ['a nonce too short', { ...keep, nonce: 'A'.repeat(21) }],
    ['padding', { ...keep, nonce: `${'A'.repeat(22)}==` }],
    ['a time without milliseconds', { ...keep, issuedAt: '2026-06-01T09:30:00Z' }],
    ['a fraction of a record', { ...keep, recordCount: 0.5 }],
    ['a threshold above one', { ...keep, epochs: keep.epochs.map((one) => ({ ...one, matchThreshold: 1.5 })) }],
  ])('refuses %s', (_what, manifest) => {
    expect(syncManifestSchema.safeParse(manifest).success).toBe(false);
  });

  it('takes several epochs, newest first', () => {
    expect(syncManifestSchema.safeParse({ ...keep, epochs: [...at(3), ...at(1)] }).success).toBe(true);
  });
});

describe('sync request', () => {
  it('reads since, 0 when absent', () => {
    expect(syncQuerySchema.parse({})).toEqual({ since: 0 });
    expect(syncQuerySchema.parse({ since: '12' })).toEqual({ since: 12 });
  });
  it.each(['-1', '01', '1.0', '1e3', '', ' 1', '9999999999999999', 'x'])('refuses since=%j', (since) => {
    expect(syncQuerySchema.safeParse({ since }).success).toBe(false);
  });
  it('has headers of a fixed length', () => {
    expect(nonceHeaderSchema.safeParse('A'.repeat(22)).success).toBe(true);
    expect(nonceHeaderSchema.safeParse('A'.repeat(23)).success).toBe(false);
    expect(deviceKeyHeaderSchema.safeParse('B'.repeat(87)).success).toBe(true);
    expect(deviceKeyHeaderSchema.safeParse(`${'B'.repeat(86)}+`).success).toBe(false);
  });
});

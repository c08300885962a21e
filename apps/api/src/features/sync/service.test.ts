import { createECDH, createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { envelopeSigningInput, parseEnvelope } from '@svc/core/pack';
import { LEASE_MS, syncManifestSchema, wipeReasons } from '@svc/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newSigningKey, parseSigningKeys } from '../../crypto/signing-key.ts';
import { keepManifest, type SyncRequest, signAnswer, wipeManifest } from './answer.ts';
import { readDeviceKey } from './device-key.ts';
import { type DeviceMoment, MomentRecorder } from './notices.ts';
import { payloadLink } from './payload-link.ts';
import { listKeySuite, SealedSecrets } from './sealed-keys.ts';
import { createSyncService, type DeviceCaller } from './service.ts';
import type { ListHead, SyncStore } from './store.ts';

const deviceKey = readDeviceKey(createECDH('prime256v1').generateKeys('base64url', 'uncompressed'));
const name = { accountId: 'acc_1', listId: 'lst_1' };
const list: ListHead = {
  ...{ listId: name.listId, version: 3, ongoing: true, enrollmentClosed: false, retentionDeadline: null },
  ...{ name: 'Members', accountName: 'Hall', eventName: null, checkIn: null },
  ...{
    reEntry: 'off',
    reEntryScope: 'device',
    attendance: 'staffed',
    mode: 'live',
    arrivals: 'off',
    headTurnAlternative: 'none',
  },
};
const caller: DeviceCaller = {
  ...{ kind: 'served', tokenSha256: randomBytes(32), ...name, deviceId: 'dev_1', name: 'Door', list, newestEpoch: 0 },
  ...{ publicKey: deviceKey.raw, expiresAt: null, suspendedAt: null, deletingAt: null },
  ...{ lastSyncAt: null, linkedAt: null, syncCounter: 0, isAnyDue: false },
};

/** A service of one empty list. */
function open(during: { read(): void; readonly isReplayed: boolean }) {
  let reads = 0;
  const store = {
    inSnapshot: (read) => {
      reads += 1;
      during.read();
      return read(null as never);
    },
    head: () => Promise.resolve(list),
    servedHead: () => Promise.resolve(list),
    logoOf: () => Promise.resolve(null),
    epochs: () => Promise.resolve([]),
    countServed: () => Promise.resolve(new Map()),
    issueCounters: (syncs) => Promise.resolve(syncs.map(() => 1)),
  } satisfies Partial<SyncStore> as unknown as SyncStore;
  const [signingKey] = parseSigningKeys(newSigningKey().value);
  if (signingKey === undefined) throw new Error('a key that was just made is none');
  const none = () => Promise.reject(new Error('not used'));
  const service = createSyncService({
    store,
    database: { transaction: none },
    outbox: { publish: none, publishAboutPeople: none, forgetList: none },
    keyRing: { findListKey: none, unwrapAccountKey: none },
    erasures: { noteVersion: () => Promise.resolve() },
    signing: { current: () => Promise.resolve({ key: signingKey, announced: [signingKey.publicKey] }) },
    metrics: { syncAnswered: () => undefined, payloadLink: () => undefined },
    isReplayed: () => during.isReplayed,
    clock: { now: () => Date.now() },
    random: { bytes: (length) => randomBytes(length) },
    checkInOrigins: [],
    payloadsOrigin: null,
    onError: () => undefined,
  });
  const sync = () =>
    service.sync(caller, {
      ...{ deviceKey, nonce: randomBytes(16).toString('base64url'), since: 0, counter: null, payloads: null },
      software: { sdkVersion: null, engineIds: [], attendances: [] },
    });
  /** Asks for a payload that was never built. */
  const look = (needsBytes: boolean) => {
    const payload = { account: name.accountId, list: name.listId, from: 0, to: list.version, payloadSha256: 'A' };
    const link = payloadLink(signingKey, payload, Date.now());
    const { expires, signature = '' } = Object.fromEntries(new URL(link, 'https://api.test').searchParams);
    return service.payload(link, { ...payload, expires: Number(expires), signature }, needsBytes);
  };
  return { service, sync, look, reads: () => reads };
}

it('tells what a link leads to without building it', async () => {
  const { look, reads } = open({ read: () => undefined, isReplayed: true });
  expect(await look(false)).toMatchObject({ payload: [] });
  expect(reads()).toBe(0);
  await expect(look(true)).rejects.toMatchObject({ code: 'not-found' });
  expect(reads()).toBe(1);
});

it('neither sends nor keeps what was read while the database went back in time', async () => {
  let goesBack = true;
  const { service, sync, reads } = open({ read: () => (goesBack ? service.forget() : undefined), isReplayed: true });
  await expect(sync()).rejects.toMatchObject({ code: 'not-ready' });
  goesBack = false;
  await sync();
  await sync();
  expect(reads()).toBe(2);
});

it('sends no pack before erasures are repeated on a promoted server', async () => {
  const during = { read: () => undefined, isReplayed: false };
  const { sync, reads } = open(during);
  await expect(sync()).rejects.toMatchObject({ code: 'not-ready' });
  expect(reads()).toBe(0);
  during.isReplayed = true;
  await sync();
});

describe('answer', () => {
  const pair = generateKeyPairSync('ed25519');
  const key = {
    keyId: '0123456789abcdef',
    publicKey: '',
    sign: (message: Uint8Array) => new Uint8Array(sign(null, message, pair.privateKey)),
  };
  const to = { listId: 'lst_01jwnafy00e2rbg3vfk4s6q9tz', deviceId: 'dev_01jwnafy00e2rbg3vfk4s6q9tz' };
  const request: SyncRequest = {
    deviceKey: { raw: Buffer.alloc(65), thumbprint: Buffer.alloc(32, 7) },
    nonce: 'A'.repeat(22),
    since: 4,
    counter: 6,
    payloads: null,
    software: { sdkVersion: null, engineIds: [], attendances: [] },
  };
  const NOW = Date.parse('2026-06-01T09:30:00.000Z');
  const content = {
    fromVersion: 0,
    toVersion: 9,
    recordCount: 1,
    stateHash: 'A'.repeat(43),
    payloadSha256: createHash('sha256').update('pack').digest('base64url'),
    retentionDeadline: null,
    enrollmentClosed: false,
    headTurnAlternative: 'none' as const,
    names: { event: null, list: 'Members', device: 'Door' },
    reEntry: 'off' as const,
    attendance: 'staffed' as const,
    checkIn: undefined,
    signingKeys: ['A'.repeat(43)],
    syncCounter: 7,
    epochs: [
      {
        epoch: 1,
        engineId: 'engine/1',
        dimension: 128,
        matchThreshold: 0.9,
        sealedListKey: { enc: 'A'.repeat(87), ciphertext: 'A'.repeat(64) },
      },
    ],
  };

  it('is an envelope signed with the region’s key', () => {
    const payload = Buffer.from('pack');
    const { envelopeHead, payload: tail } = signAnswer(key, keepManifest(to, request, NOW, content), 1, [payload]);
    const envelope = parseEnvelope(Buffer.concat([envelopeHead, ...tail]));
    const message = envelopeSigningInput(1, envelope.manifest);
    expect(verify(null, message, createPublicKey(pair.privateKey), envelope.signature)).toBe(true);
    expect(verify(null, envelopeSigningInput(0, envelope.manifest), pair.publicKey, envelope.signature)).toBe(false);
    expect(Buffer.from(envelope.payload)).toEqual(payload);
    const manifest = syncManifestSchema.parse(JSON.parse(Buffer.from(envelope.manifest).toString('utf8')));
    expect(manifest).toMatchObject({ command: 'keep', nonce: request.nonce, toVersion: 9 });
    expect(Date.parse(manifest.leaseExpiresAt) - Date.parse(manifest.issuedAt)).toBe(LEASE_MS);
  });

  it.each(wipeReasons)('wipes for %s without a key, a record or a list’s state', (reason) => {
    const manifest = syncManifestSchema.parse(wipeManifest(to, request, NOW, reason));
    expect(manifest).toMatchObject({ command: 'wipe', reason, epochs: [], recordCount: 0, stateHash: '' });
    expect(manifest.payloadSha256).toBe(createHash('sha256').digest('base64url'));
  });
});

describe('device key', () => {
  const point = createECDH('prime256v1').generateKeys();
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(point);
    bytes[at] = value;
    return bytes;
  };

  it('is a point of P-256 with its thumbprint', () => {
    const key = readDeviceKey(encode(point));
    expect(key.raw).toEqual(point);
    expect(key.thumbprint).toEqual(createHash('sha256').update(point).digest());
  });

  const P = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff';
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['off the curve', encode(changed(64, (point[64] ?? 0) ^ 1))],
    ['zero', encode(Buffer.concat([Buffer.of(4), Buffer.alloc(64)]))],
    ['a coordinate that is not reduced', encode(Buffer.from(`04${P}${P}`, 'hex'))],
    ['of the hybrid form', encode(changed(0, 6))],
    ['compressed', createECDH('prime256v1').generateKeys('base64url', 'compressed')],
    ['of another curve', encode(createECDH('secp256k1').generateKeys())],
    ['of P-384', encode(createECDH('secp384r1').generateKeys())],
    ['padded', `${encode(point)}=`],
    ['in standard base64', point.toString('base64')],
    ['cut short', encode(point).slice(0, -1)],
    ['twice, joined as headers are', `${encode(point)}, ${encode(point)}`],
  ])('is refused when %s', (_what, header) => {
    expect(() => readDeviceKey(header)).toThrow(expect.objectContaining({ code: 'device-key-invalid' }));
  });
});

describe('sealed secrets', () => {
  const newKey = () => createECDH('prime256v1').generateKeys();
  const purpose = Buffer.from('list key of dev_a');

  /** A stored secret that counts unwrappings. */
  function storedSecret() {
    const unwrapped: Uint8Array[] = [];
    const unwrap = () => {
      unwrapped.push(new Uint8Array(32).fill(9));
      return Promise.resolve(unwrapped.at(-1) ?? new Uint8Array());
    };
    return { stored: (byte = 1) => ({ wrapped: Buffer.alloc(60, byte), unwrap }), unwrapped };
  }

  it('are sealed as RFC 9180 has it: its vector for this suite', async () => {
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex')).buffer;
    const { kem, kdf, aead } = listKeySuite;
    expect([kem.id, kdf.id, aead.id]).toEqual([0x0010, 0x0001, 0x0002]);
    const recipient = await kem.deriveKeyPair(
      bytes('a0ce15d49e28bd47a18a97e147582d814b08cbe00109fed5ec27d1b4e9f6f5e3'),
    );
    const sender = await listKeySuite.createSenderContext({
      recipientPublicKey: recipient.publicKey,
      info: bytes('4f6465206f6e2061204772656369616e2055726e'),
      ekm: bytes('a90d3417c3da9cb6c6ae19b4b5dd6cc9529a4cc24efb7ae0ace1f31887a8cd6c'),
    });
    const plaintext = bytes('4265617574792069732074727574682c20747275746820626561757479');
    const made = [
      await kem.serializePublicKey(recipient.publicKey),
      sender.enc,
      await sender.seal(plaintext, bytes('436f756e742d30')),
    ].map((buffer) => Buffer.from(buffer).toString('hex'));
    expect(made).toEqual([
      '04abc7e49a4c6b3566d77d0304addc6ed0e98512ffccf505e6a8e3eb25c685136f853148544876de76c0f2ef99cdc3a05ccf5ded7860c7c021238f9e2073d2356c',
      '04c06b4f6bebc7bb495cb797ab753f911aff80aefb86fd8b6fcc35525f3ab5f03e0b21bd31a86c6048af3cb2d98e0d3bf01da5cc4c39ff5370d331a4f1f7d5a4e0',
      '58c61a45059d0c5704560e9d88b564a8b63f1364b8d1fcb3c4c6ddc1d291742465e902cd216f8908da49f8f96f',
    ]);
  });

  it('open for one device and one purpose', async () => {
    const { stored } = storedSecret();
    const pair = await listKeySuite.kem.generateKeyPair();
    const device = Buffer.from(await listKeySuite.kem.serializePublicKey(pair.publicKey));
    const { enc, ciphertext } = await new SealedSecrets().seal(device, purpose, stored());
    const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url')).buffer;
    const open = (recipientKey: typeof pair, info: Uint8Array) =>
      listKeySuite.open({ recipientKey, enc: bytes(enc), info: Uint8Array.from(info).buffer }, bytes(ciphertext));
    expect(new Uint8Array(await open(pair, purpose))).toEqual(new Uint8Array(32).fill(9));
    await expect(open(pair, Buffer.from('list key of dev_b'))).rejects.toThrow();
    await expect(open(await listKeySuite.kem.generateKeyPair(), purpose)).rejects.toThrow();
  });

  it('are opened and sealed once to a device, and wiped', async () => {
    const { stored, unwrapped } = storedSecret();
    const [secrets, device] = [new SealedSecrets(), newKey()];
    const first = await secrets.seal(device, purpose, stored());
    expect(await secrets.seal(Buffer.from(device), Buffer.from(purpose), stored())).toBe(first);
    expect(unwrapped).toEqual([new Uint8Array(32)]);
  });

  it('are sealed again once they changed or were wrapped again, to another key, and for another purpose', async () => {
    const { stored, unwrapped } = storedSecret();
    const [secrets, device] = [new SealedSecrets(), newKey()];
    const all = [
      await secrets.seal(device, purpose, stored()),
      await secrets.seal(device, purpose, stored(2)),
      await secrets.seal(newKey(), purpose, stored()),
      await secrets.seal(device, Buffer.from('list key of dev_b'), stored()),
    ];
    expect(new Set(all.map(({ enc }) => enc)).size).toBe(4);
    expect(unwrapped).toHaveLength(4);
  });

  it('are bounded, those used longest ago going first', async () => {
    const { stored, unwrapped } = storedSecret();
    const [secrets, device] = [new SealedSecrets(2), newKey()];
    const seal = (name: string) => secrets.seal(device, Buffer.from(name), stored());
    const one = await seal('1');
    await seal('2');
    expect(await seal('1')).toBe(one);
    await seal('3');
    expect(await seal('1')).toBe(one);
    await seal('2');
    expect(unwrapped).toHaveLength(4);
  });
});

describe('moment recorder', () => {
  const sync = (deviceId: string, ms: number): DeviceMoment => ({ ...name, deviceId, at: new Date(ms) });

  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('are written together, a second late at most, the latest of each device', async () => {
    const write = vi.fn((_syncs: readonly DeviceMoment[]) => Promise.resolve());
    const recorder = new MomentRecorder(write, () => {});
    recorder.record(sync('dev_1', 5));
    recorder.record(sync('dev_2', 6));
    recorder.record(sync('dev_1', 7));
    recorder.record(sync('dev_1', 3));
    expect(write).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(write).toHaveBeenCalledTimes(1);
    expect(write.mock.calls[0]?.[0]).toEqual([sync('dev_1', 7), sync('dev_2', 6)]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('are tried again when the database is away, and no older time overwrites a newer one', async () => {
    const errors: unknown[] = [];
    const write = vi.fn((_syncs: readonly DeviceMoment[]) => Promise.resolve());
    write.mockRejectedValueOnce(new Error('down'));
    const recorder = new MomentRecorder(write, (error) => errors.push(error));
    recorder.record(sync('dev_1', 5));
    await vi.advanceTimersByTimeAsync(1000);
    expect(errors).toEqual([new Error('down')]);
    recorder.record(sync('dev_1', 9));
    await vi.advanceTimersByTimeAsync(1000);
    expect(write.mock.lastCall).toEqual([[sync('dev_1', 9)]]);
  });

  it('are written at once on a flush, after what is being written', async () => {
    const order: string[] = [];
    let release = () => {};
    const recorder = new MomentRecorder(
      async (syncs) => {
        order.push(`start ${syncs[0]?.deviceId}`);
        if (order.length === 1)
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        order.push(`end ${syncs[0]?.deviceId}`);
      },
      () => {},
    );
    recorder.record(sync('dev_1', 1));
    const first = recorder.flush();
    await Promise.resolve();
    recorder.record(sync('dev_2', 2));
    const second = recorder.flush();
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['start dev_1', 'end dev_1', 'start dev_2', 'end dev_2']);
  });

  it('need no write when there are none', async () => {
    const write = vi.fn(() => Promise.resolve());
    await new MomentRecorder(write, () => {}).flush();
    expect(write).not.toHaveBeenCalled();
  });
});

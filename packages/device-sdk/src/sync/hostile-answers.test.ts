import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { encodePack, parsePack } from '@svc/core/pack';
import { formatId, uuidv7 } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { toBase64Url } from '../bytes.ts';
import { generateDeviceKeyPair, rawPublicKey } from '../crypto/hpke.ts';
import type { TransportAnswer } from '../ports/transport.ts';
import { signingKeyId } from '../region.ts';
import { createHarness, recorded, visit } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { type Draft, type FakeService, syncAnswer } from '../testing/fake-service.ts';
import { contentsOf } from '../testing/watched-stores.ts';
import type { SyncFailure } from './sync-result.ts';

const other = (prefix: 'lst' | 'dev') => formatId(prefix, uuidv7(9, new Uint8Array(10).fill(9)));
const strangerSecret = new Uint8Array(32).fill(77);
const strangerKey = ed25519.getPublicKey(strangerSecret);
const strangerPoint = async () => rawPublicKey(await generateDeviceKeyPair(false));

const manifest = (change: (m: Draft['manifest']) => Partial<Draft['manifest']>) => (draft: Draft) => {
  draft.manifest = { ...draft.manifest, ...change(draft.manifest) };
};
/** Puts another payload under an otherwise honest manifest. */
const repacked = (change: (payload: Uint8Array) => Uint8Array) => (draft: Draft) => {
  draft.payload = change(draft.payload);
  draft.manifest = { ...draft.manifest, payloadSha256: toBase64Url(sha256(draft.payload)) };
};
const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const body = (change: (bytes: Uint8Array) => Uint8Array) => (draft: Draft) => {
  draft.body = change;
};
const edited = (change: (input: Parameters<typeof encodePack>[0]) => Parameters<typeof encodePack>[0]) =>
  repacked((payload) => {
    const pack = parsePack(payload);
    const epochs = pack.epochs.map((epoch) => ({ ...epoch, records: [...epoch.records()] }));
    return encodePack(change({ listId: pack.listId, listVersion: pack.listVersion, epochs }));
  });

type Bend = (draft: Draft, service: FakeService) => void | Promise<void>;

/** After an honest first sync at version 3 and one more enrolment: each lie, and the check that must catch it. */
const lies: readonly (readonly [string, Bend, SyncFailure])[] = [
  ['nothing', body(() => new Uint8Array()), 'envelope-invalid'],
  ['a web page', body(() => new TextEncoder().encode('<html>Log in to the hotel')), 'envelope-invalid'],
  ['a cut head', body((bytes) => bytes.subarray(0, 20)), 'envelope-invalid'],
  ['a length beyond the end', body((bytes) => flip(bytes, 9)), 'envelope-invalid'],
  ['a payload kind nobody signed', body((bytes) => flip(bytes, 8)), 'envelope-invalid'],
  [
    'an unsigned answer',
    (draft) => {
      draft.sign = () => new Uint8Array(64);
    },
    'signature-invalid',
  ],
  [
    'a key that is not pinned',
    (draft) => {
      draft.keyId = signingKeyId(strangerKey);
      draft.sign = (message) => ed25519.sign(message, strangerSecret);
    },
    'unknown-signing-key',
  ],
  [
    'another key under the pinned one’s name',
    (draft) => {
      draft.sign = (message) => ed25519.sign(message, strangerSecret);
    },
    'signature-invalid',
  ],
  [
    'a signature over the manifest alone',
    (draft, service) => {
      draft.sign = (message) => ed25519.sign(message.subarray(13), service.signingSecret);
    },
    'signature-invalid',
  ],
  ['a flipped bit in the manifest', body((bytes) => flip(bytes, 40)), 'signature-invalid'],
  [
    'a signed manifest that is no JSON',
    (draft) => {
      draft.manifestBytes = new TextEncoder().encode('{"format":1');
    },
    'manifest-invalid',
  ],
  [
    'a signed manifest that is no UTF-8',
    (draft) => {
      draft.manifestBytes = Uint8Array.of(0x22, 0xff, 0x22);
    },
    'manifest-invalid',
  ],
  ['a format of the future', manifest(() => ({ format: 2 as 1 })), 'manifest-invalid'],
  ['no epochs', manifest(() => ({ epochs: [] })), 'manifest-invalid'],
  ['another device’s key', manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(strangerKey)) })), 'other-device'],
  ['another device’s id', manifest(() => ({ deviceId: other('dev') })), 'other-device'],
  ['another list', manifest(() => ({ listId: other('lst') })), 'other-list'],
  ['another nonce', manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) })), 'other-nonce'],
  ['an older version', manifest(() => ({ toVersion: 2 })), 'version-rolled-back'],
  ['the version held, with another state', manifest(() => ({ toVersion: 3 })), 'version-conflict'],
  ['a lease that is over', manifest(({ issuedAt }) => ({ leaseExpiresAt: issuedAt })), 'manifest-expired'],
  [
    'a delta',
    (draft) => {
      draft.payloadKind = 2;
    },
    'delta-unsupported',
  ],
  [
    'a flipped bit in a record',
    (draft) => {
      draft.payload = flip(draft.payload, draft.payload.length - 5);
    },
    'payload-hash-mismatch',
  ],
  ['a payload cut short', body((bytes) => bytes.subarray(0, bytes.length - 1)), 'payload-hash-mismatch'],
  ['a byte too many', body((bytes) => Uint8Array.from([...bytes, 0])), 'payload-hash-mismatch'],
  [
    'no payload where there should be one',
    (draft) => {
      draft.payload = new Uint8Array();
    },
    'payload-hash-mismatch',
  ],
  [
    '«unchanged» for a version not held',
    (draft) => {
      draft.payloadKind = 0;
      draft.payload = new Uint8Array();
      draft.manifest = { ...draft.manifest, payloadSha256: toBase64Url(sha256(draft.payload)) };
    },
    'pack-invalid',
  ],
  ['a payload that is no pack', repacked(() => new Uint8Array(400)), 'pack-invalid'],
  ['a pack of another list', edited((pack) => ({ ...pack, listId: other('lst') })), 'pack-invalid'],
  ['a pack of another version', edited((pack) => ({ ...pack, listVersion: 9 })), 'pack-invalid'],
  ['a record count that lies', manifest(() => ({ recordCount: 1 })), 'pack-invalid'],
  [
    'another engine than the pack’s',
    manifest(({ epochs }) => ({ epochs: epochs.map((epoch) => ({ ...epoch, engineId: 'other/1' })) })),
    'pack-invalid',
  ],
  [
    'a flipped bit in a record, hashed anew',
    repacked((payload) => flip(payload, payload.length - 5)),
    'state-hash-mismatch',
  ],
  [
    'two people’s records swapped',
    edited((pack) => ({
      ...pack,
      epochs: pack.epochs.map((epoch) => {
        const [a = new Uint8Array(), b = new Uint8Array(), ...rest] = epoch.records;
        const swapped = [
          Uint8Array.from([...a.subarray(0, 16), ...b.subarray(16)]),
          Uint8Array.from([...b.subarray(0, 16), ...a.subarray(16)]),
        ];
        return { ...epoch, records: [...swapped, ...rest] };
      }),
    })),
    'state-hash-mismatch',
  ],
  ['another state hash', manifest(() => ({ stateHash: toBase64Url(new Uint8Array(32)) })), 'state-hash-mismatch'],
  [
    'a list key sealed to another device',
    async (draft, service) => {
      const sealedListKey = await service.sealTo(await strangerPoint(), service.newest.listKey, 1);
      draft.manifest = { ...draft.manifest, epochs: draft.manifest.epochs.map((e) => ({ ...e, sealedListKey })) };
    },
    'list-key-unopenable',
  ],
  [
    'a list key sealed for another device’s id',
    async (draft, service) => {
      const { 'Svc-Device-Key': own = '' } = service.requests.at(-1)?.headers ?? {};
      const point = new Uint8Array(Buffer.from(own, 'base64url'));
      const sealedListKey = await service.sealTo(point, service.newest.listKey, 1, other('dev'));
      draft.manifest = { ...draft.manifest, epochs: draft.manifest.epochs.map((e) => ({ ...e, sealedListKey })) };
    },
    'list-key-unopenable',
  ],
  [
    'another list’s key',
    async (draft, service) => {
      const { 'Svc-Device-Key': own = '' } = service.requests.at(-1)?.headers ?? {};
      const point = new Uint8Array(Buffer.from(own, 'base64url'));
      const sealedListKey = await service.sealTo(point, new Uint8Array(32).fill(1), 1);
      draft.manifest = { ...draft.manifest, epochs: draft.manifest.epochs.map((e) => ({ ...e, sealedListKey })) };
    },
    'check-record-unopenable',
  ],
  [
    'a check record of nobody’s key',
    (draft) => {
      const pack = parsePack(draft.payload);
      const epochs = pack.epochs.map((epoch) => ({
        ...epoch,
        checkRecord: flip(epoch.checkRecord, epoch.checkRecord.length - 1),
        records: [...epoch.records()],
      }));
      const input = { listId: pack.listId, listVersion: pack.listVersion, epochs };
      draft.payload = encodePack(input);
      const stateHash = toBase64Url(parsePack(draft.payload).stateHash());
      draft.manifest = { ...draft.manifest, stateHash, payloadSha256: toBase64Url(sha256(draft.payload)) };
    },
    'check-record-unopenable',
  ],
];

async function syncedDevice() {
  const harness = createHarness();
  const { service } = harness;
  service.enrol('ticket-1', templateOf(1));
  service.enrol('ticket-2', templateOf(2));
  const device = await harness.create();
  expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', listVersion: 3, people: 2 });
  service.enrol('ticket-3', templateOf(3));
  return { harness, service, device };
}

describe('an answer with', () => {
  it.each(lies)('%s is refused, and nothing of it is kept', async (_what, bend, reason) => {
    const { harness, service, device } = await syncedDevice();
    await device.verifyLiveAsync('ticket-9', recorded([]));
    const before = await contentsOf(harness.ports);
    service.bend = (draft) => bend(draft, service);
    expect(await device.syncAsync()).toEqual({ ok: false, reason });
    expect(await contentsOf(harness.ports)).toEqual(before);
    expect(device.status()).toMatchObject({ listVersion: 3, people: 2, ready: true });
    expect(await device.verifyLiveAsync('ticket-3', recorded([]))).toMatchObject({ reason: 'not-on-list' });
    expect(await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')))).toMatchObject({ outcome: 'Match' });
    service.bend = () => undefined;
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', listVersion: 4, people: 3 });
  });

  // Without a version held there is none to conflict with.
  it.each(lies.filter(([, , reason]) => reason !== 'version-conflict'))(
    '%s is refused at the first sync too',
    async (...lie) => {
      const [, bend, reason] = lie;
      const harness = createHarness();
      harness.service.enrol('ticket-1', templateOf(1));
      harness.service.enrol('ticket-2', templateOf(2));
      const device = await harness.create();
      harness.service.bend = (draft) => bend(draft, harness.service);
      const result = await device.syncAsync();
      // Whose list and which version it is, only the first sync teaches; the later checks catch these lies there.
      const learnt: readonly SyncFailure[] = ['other-device', 'other-list', 'version-rolled-back'];
      expect(result).toEqual({ ok: false, reason: learnt.includes(reason) ? expect.any(String) : reason });
      const { packs, secrets } = await contentsOf(harness.ports);
      expect({ packs, secrets }).toEqual({ packs: {}, secrets: {} });
    },
  );

  it('two lies is refused for the one that is checked first', async () => {
    const { service, device } = await syncedDevice();
    const pick = (reason: SyncFailure) => lies.find(([, , r]) => r === reason)?.[1] ?? (() => undefined);
    const manifestLies = [
      'other-device',
      'other-list',
      'other-nonce',
      'version-rolled-back',
      'manifest-expired',
    ] as const;
    for (const [i, first] of manifestLies.entries()) {
      for (const second of manifestLies.slice(i + 1)) {
        service.bend = async (draft) => {
          await pick(first)(draft, service);
          await pick(second)(draft, service);
        };
        expect(await device.syncAsync()).toEqual({ ok: false, reason: first });
      }
    }
  });
});

describe('no answer of the service', () => {
  const plain = (over: Partial<TransportAnswer>) => async () =>
    syncAnswer(new TextEncoder().encode('<html>'), { mediaType: 'text/html', ...over });

  it.each<[string, FakeService['answer'], SyncFailure]>([
    ['a captive portal', plain({}), 'unexpected-answer'],
    ['a 401', plain({ status: 401 }), 'unauthorised'],
    ['a 403', plain({ status: 403 }), 'unauthorised'],
    ['a 404', plain({ status: 404 }), 'unexpected-answer'],
    ['a 409', plain({ status: 409 }), 'device-key-mismatch'],
    ['a 429', plain({ status: 429 }), 'rate-limited'],
    ['a 500', plain({ status: 500 }), 'server-error'],
    ['a 204', plain({ status: 204 }), 'unexpected-answer'],
    [
      'an envelope served as something else',
      async (draft) => syncAnswer(await draft(), { mediaType: 'text/plain' }),
      'unexpected-answer',
    ],
    ['a broken connection', () => Promise.reject(new Error('ECONNRESET')), 'offline'],
    [
      'an announced length over the cap',
      plain({ mediaType: 'application/vnd.svc.sync', contentLength: 2 ** 40 }),
      'too-long',
    ],
    [
      'a body that never ends',
      plain({
        mediaType: 'application/vnd.svc.sync',
        contentLength: null,
        body: (async function* () {
          for (;;) yield new Uint8Array(1_000_000);
        })(),
      }),
      'too-long',
    ],
    [
      'a body that breaks off',
      plain({
        mediaType: 'application/vnd.svc.sync',
        body: (async function* () {
          yield new Uint8Array(10);
          throw new Error('reset');
        })(),
      }),
      'offline',
    ],
  ])('%s changes nothing', async (_what, answer, reason) => {
    const { harness, service, device } = await syncedDevice();
    const before = await contentsOf(harness.ports);
    service.answer = answer;
    expect(await device.syncAsync()).toEqual({ ok: false, reason });
    expect(await contentsOf(harness.ports)).toEqual(before);
    expect(device.status().ready).toBe(true);
  });

  it('is waited for two minutes, and no longer', async () => {
    const { harness, service, device } = await syncedDevice();
    service.answer = () => new Promise(() => undefined);
    const pending = device.syncAsync();
    await harness.time.advance(60_000);
    expect(device.status().syncing).toBe(true);
    await harness.time.advance(60_001);
    expect(await pending).toEqual({ ok: false, reason: 'timed-out' });
  });

  it('that dawdles does not lengthen the lease: it counts from the question', async () => {
    const { harness, service, device } = await syncedDevice();
    service.answer = async (draft) => {
      const answered = await draft();
      await harness.time.advance(90_000);
      return syncAnswer(answered);
    };
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    const { leaseExpiresAtMs } = device.status();
    expect((leaseExpiresAtMs ?? 0) - harness.time.clock.wallMs()).toBe(24 * 60 * 60_000 - 90_000);
  });
});

describe('the question', () => {
  it('carries token, device key, a fresh nonce and the version held, and nothing else', async () => {
    const { service, device } = await syncedDevice();
    await device.syncAsync();
    const [first, second] = service.requests;
    expect(first?.url).toBe('https://api.test/v1/device/sync?since=0');
    expect(second?.url).toBe('https://api.test/v1/device/sync?since=3');
    expect(Object.keys(first?.headers ?? {}).sort()).toEqual([
      'Accept',
      'Authorization',
      'Svc-Device-Key',
      'Svc-Nonce',
    ]);
    expect(first?.headers['Svc-Device-Key']).toBe(second?.headers['Svc-Device-Key']);
    expect(first?.headers['Svc-Nonce']).not.toBe(second?.headers['Svc-Nonce']);
  });
});

import { parsePack } from '@svc/core/pack';
import type { SyncEpoch } from '@svc/protocol';
import { toBase64Url } from '../../bytes.ts';
import type { Draft, FakeService } from '../fake-service.ts';
import { epochs } from './bend-manifest.ts';
import { eachEpoch, edited } from './bend-payload.ts';
import { foreignPoint, other } from './foreign-identities.ts';
import { type Bend, bent, flip, type HostileCase } from './hostile-case.ts';

/** The manifest matches the modified pack: only the keys can reveal it. */
const consistently =
  (bend: Bend): Bend =>
  async (draft, service) => {
    await bend(draft, service);
    const pack = parsePack(draft.payload);
    draft.manifest = { ...draft.manifest, stateHash: toBase64Url(pack.stateHash()), recordCount: pack.recordCount };
  };

/** Seals a list key wrongly, or a wrong one. */
const sealed = (
  seal: (o: { service: FakeService; own: Uint8Array; draft: Draft }) => Promise<SyncEpoch['sealedListKey']>,
): Bend => {
  return async (draft, service) => {
    const { 'Svc-Device-Key': key = '' } = service.requests.at(-1)?.headers ?? {};
    const own = new Uint8Array(Buffer.from(key, 'base64url'));
    const sealedListKey = await seal({ service, own, draft });
    await epochs(() => ({ sealedListKey }))(draft, service);
  };
};

const firstKey = (draft: Draft): SyncEpoch['sealedListKey'] => {
  const [epoch] = draft.manifest.epochs;
  if (epoch === undefined) throw new Error('a list that is kept has an epoch');
  return epoch.sealedListKey;
};

/** The last checks: the key opens, and it opens the pack. */
export const listKeyCases: readonly HostileCase[] = [
  bent(
    'a list key sealed to another device',
    'list-key-unopenable',
    sealed(async ({ service }) => service.sealTo(await foreignPoint(), service.newest.listKey, 1)),
  ),
  bent(
    'a list key sealed for another device’s id',
    'list-key-unopenable',
    sealed(({ service, own }) => service.sealTo(own, service.newest.listKey, 1, other('dev'))),
  ),
  bent(
    'a list key sealed for another epoch',
    'list-key-unopenable',
    sealed(({ service, own }) => service.sealTo(own, service.newest.listKey, 2)),
  ),
  bent(
    'a list key that is no key',
    'list-key-unopenable',
    sealed(async ({ draft }) => ({ ...firstKey(draft), ciphertext: toBase64Url(new Uint8Array(48)) })),
  ),
  bent(
    'a key exchange with no point',
    'list-key-unopenable',
    sealed(async ({ draft }) => ({ ...firstKey(draft), enc: toBase64Url(new Uint8Array(65).fill(4)) })),
  ),
  bent(
    'a sealed key of another length',
    'manifest-invalid',
    sealed(async ({ draft }) => ({ ...firstKey(draft), ciphertext: toBase64Url(new Uint8Array(47)) })),
  ),
  bent(
    'another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
  ),
  bent(
    '«unchanged» with another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'changes with another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
    { instead: 'changes', atFirst: null },
  ),
  bent(
    'a check record of nobody’s key',
    'check-record-unopenable',
    consistently(edited(eachEpoch(({ checkRecord }) => ({ checkRecord: flip(checkRecord, -1) })))),
  ),
  bent(
    'somebody’s record in the place of the check record',
    'check-record-unopenable',
    consistently(edited(eachEpoch(({ records: [record] }) => ({ checkRecord: record })))),
  ),
];

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { encodeEnvelope, envelopeSigningInput, lookupTagOf } from '@svc/core/pack';
import {
  ADMISSIONS_SIGNING,
  type AdmissionClaim,
  type AdmissionsAnswer,
  type AdmissionsRequest,
  type AnsweredAdmission,
  admissionsSigningInput,
  MAX_ADMISSIONS_ANSWERED,
  ONGOING_WINDOW_MS,
  type SentAdmission,
} from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import type { Signing } from '../../crypto/signing.ts';
import type { Transaction } from '../../db/connection.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import type { ListKey } from '../lists/store.ts';
import { type DeviceCaller, deviceNameOf, type ServedCaller, sharesAdmissions } from '../sync/service.ts';
import type { Uses } from '../uses.ts';
import type { AdmissionStore, NamedAdmission, SharedAdmission } from './store.ts';

export type AdmissionService = ReturnType<typeof createAdmissionService>;

/** What a device tells or asks of one person. */
type Heard = AdmissionClaim & { readonly kind: SentAdmission['kind'] | 'claim' };

const NONE = { alsoDeviceId: null, alsoSequence: null, alsoAt: null } as const;

/**
 * What the list knows of a person after a device was heard; null where nothing changes. The first that arrives counts: of
 * one that asks while another counts, nothing is kept.
 * @param held what is known, unless it no longer counts
 */
export function heard(held: SharedAdmission | null, deviceId: string, { kind, sequence, at, tag }: Heard) {
  const admittedAt = new Date(at);
  // A repeat, or overtaken by what the device told later.
  if (held?.deviceId === deviceId && sequence <= held.sequence) return null;
  if (held?.alsoDeviceId === deviceId && sequence <= (held.alsoSequence ?? 0)) return null;
  const own = { tag: Buffer.from(tag, 'base64url'), deviceId, sequence, admittedAt, takenBack: false };
  if (kind === 'taken-back') {
    if (held?.alsoDeviceId === deviceId) return { ...held, ...NONE };
    if (held?.deviceId !== deviceId) return null;
    const { alsoDeviceId, alsoSequence, alsoAt } = held;
    if (alsoDeviceId === null || alsoSequence === null || alsoAt === null)
      return { ...held, sequence, takenBack: true };
    return { ...held, ...NONE, deviceId: alsoDeviceId, sequence: alsoSequence, admittedAt: alsoAt };
  }
  if (held === null || held.takenBack) return { ...own, ...NONE };
  if (kind === 'claim') return null;
  if (kind === 'admitted-again') return { ...held, ...own };
  return { ...held, alsoDeviceId: deviceId, alsoSequence: sequence, alsoAt: admittedAt };
}

export function createAdmissionService(
  o: Uses<'database' | 'keyRing' | 'random' | 'clock'> & {
    readonly store: AdmissionStore;
    readonly signing: Pick<Signing, 'current'>;
  },
) {
  /** @throws ServiceError 'invalid-credential' */
  async function requireSigned(
    { accountId, listId, deviceId }: ListKey & { readonly deviceId: string },
    nonce: string,
    signature: string,
    request: AdmissionsRequest,
  ): Promise<void> {
    const expected = await withAccountVault(o, accountId, (vault) => {
      const [key, salt] = [vault.admissionKey(listId), new Uint8Array()];
      const signing = Buffer.from(hkdfSync('sha256', key, salt, ADMISSIONS_SIGNING + deviceId, 32));
      key.fill(0);
      return createHmac('sha256', signing).update(admissionsSigningInput(nonce, request)).digest();
    });
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new ServiceError('invalid-credential');
    }
  }

  async function takeIn(tx: Transaction, caller: ServedCaller, all: readonly Heard[]): Promise<void> {
    let version = await o.store.hold(tx, caller);
    const now = o.clock.now();
    for (const one of all) {
      const found = await o.store.find(tx, caller, Buffer.from(one.tag, 'base64url'));
      const isOver = found?.deleteAfter != null && found.deleteAfter.getTime() <= now;
      const next = heard(isOver ? null : found, caller.deviceId, one);
      if (next === null) continue;
      version += 1;
      const until = caller.list.ongoing ? new Date(next.admittedAt.getTime() + ONGOING_WINDOW_MS) : null;
      await o.store.put(tx, caller, version, { ...next, deleteAfter: until });
    }
  }

  return {
    /**
     * Takes in what a device tells of whom it let in, decides its claim, and answers what changed.
     * @returns the signed envelope
     * @throws ServiceError 'invalid-credential', 'not-found'
     */
    async exchange(caller: DeviceCaller, nonce: string, signature: string, request: AdmissionsRequest) {
      if (caller.kind === 'wiped') throw new ServiceError('invalid-credential');
      const { listId, deviceId, list } = caller;
      if (request.listId !== listId) throw missing('list');
      await requireSigned(caller, nonce, signature, request);
      if (!sharesAdmissions(list)) throw new ServiceError('not-found', { detail: 'The list shares no admissions.' });
      const { claim } = request;
      const told: Heard[] = [...request.entries, ...(claim ? [{ ...claim, kind: 'claim' } as const] : [])];
      if (told.length > 0) await o.database.transaction((tx) => takeIn(tx, caller, told));
      const seen = claim ? await o.store.named(caller, Buffer.from(claim.tag, 'base64url')) : null;
      const isOwn = seen === null || (seen.deviceId === deviceId && seen.sequence === claim?.sequence);
      const version = await o.store.version(caller);
      const since = request.since > version ? 0 : request.since;
      const changed = await o.store.changed(caller, since, MAX_ADMISSIONS_ANSWERED);
      const more = changed.length === MAX_ADMISSIONS_ANSWERED;
      const answer: AdmissionsAnswer = {
        answer: 'admissions',
        ...{ listId, deviceId, nonce, since, more },
        cursor: more ? (changed.at(-1)?.version ?? version) : Math.max(version, changed.at(-1)?.version ?? 0),
        entries: changed.map((row) => toAnswered(row, deviceId)),
        elsewhere: isOwn || seen.takenBack ? null : doorOf(seen, deviceId),
      };
      return sealed(answer);
    },
    /** Erases what devices told of people, with these. */
    async forget(tx: Transaction, vault: AccountVault, list: ListKey, personIds: readonly string[]): Promise<void> {
      const key = vault.admissionKey(list.listId);
      const tags = await Promise.all(personIds.map((personId) => lookupTagOf(key, personId)));
      key.fill(0);
      await o.store.forget(tx, list, tags.map(Buffer.from));
    },
  };

  async function sealed(answer: AdmissionsAnswer): Promise<Uint8Array> {
    const manifest = Buffer.from(JSON.stringify(answer));
    const { key } = await o.signing.current();
    const signature = key.sign(envelopeSigningInput(0, manifest));
    return encodeEnvelope({ payloadKind: 0, manifest, keyId: key.keyId, signature, payload: new Uint8Array() });
  }
}

type Door = Pick<SharedAdmission, 'deviceId' | 'admittedAt'> & { readonly name: string | null };

const doorOf = (door: Door, asking: string) => ({
  ...{ at: door.admittedAt.toISOString(), door: deviceNameOf(door), own: door.deviceId === asking },
});

function toAnswered(row: NamedAdmission, asking: string): AnsweredAdmission {
  const { tag, takenBack, alsoDeviceId: deviceId, alsoAt: admittedAt, alsoName: name } = row;
  const also = deviceId === null || admittedAt === null ? null : doorOf({ deviceId, admittedAt, name }, asking);
  return { ...doorOf(row, asking), tag: tag.toString('base64url'), takenBack, also };
}

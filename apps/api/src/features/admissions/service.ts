import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { encodeEnvelope, envelopeSigningInput, lookupTagOf } from '@svc/core/pack';
import {
  ADMISSIONS_SIGNING,
  type AdmissionsAnswer,
  type AdmissionsRequest,
  type AnsweredAdmission,
  admissionsSigningInput,
  FULL_WIPE_MS,
  MAX_ADMISSIONS_ANSWERED,
  MINUTE_MS,
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
import { type AdmissionStore, ERASED, type NamedAdmission, type SharedAdmission } from './store.ts';

export type AdmissionService = ReturnType<typeof createAdmissionService>;

/** Devices' clocks are this exact. */
const TOLERANCE_MS = 2 * MINUTE_MS;
/** People of whom a device may tell beyond as many as are on the list. */
const SPARE = 1_000;

/** What a device tells or asks of one person. */
type Heard = Pick<SharedAdmission, 'tag' | 'admittedAt' | 'sequence'> & {
  readonly kind: SentAdmission['kind'] | 'claim';
};

const counts = ({ takenBack }: SharedAdmission): boolean => !takenBack;

/**
 * What is known of a device and a person after the device was heard; null where nothing changes.
 * @param known of the person, of each device, in the order in which it was told
 */
export function heard(
  known: readonly SharedAdmission[],
  deviceId: string,
  { kind, tag, sequence, admittedAt }: Heard,
): Omit<SharedAdmission, 'deleteAfter'> | null {
  const own = known.find((one) => one.deviceId === deviceId);
  const isOfErased = known.some((one) => one.deviceId === ERASED && admittedAt <= one.admittedAt);
  // A repeat, or overtaken by what the device told later.
  if (own !== undefined && sequence <= own.sequence) return null;
  if (kind === 'taken-back') return own === undefined ? null : { ...own, sequence, takenBack: true };
  // The device asks of nobody whom it let in: what it claimed before came to nothing at the door.
  if (kind === 'claim' && elsewhereOf(known, deviceId) !== undefined) return null;
  if (kind !== 'claim' && isOfErased) return null;
  const knew = own !== undefined && counts(own) ? own.knew : kind === 'admitted-again';
  return { tag, deviceId, sequence, admittedAt, takenBack: false, knew };
}

/** The admission of another device that counts. */
const elsewhereOf = <T extends SharedAdmission>(known: readonly T[], deviceId: string): T | undefined =>
  known.find((one) => counts(one) && one.deviceId !== deviceId);

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

  /** When a person was let in, by a device's clock: not after now, nor before what still counts, nor a claim before now. */
  function timeOf(at: string, isClaim: boolean, { ongoing }: ServedCaller['list']): Date {
    const now = o.clock.now();
    const atMs = Math.min(Date.parse(at), now + TOLERANCE_MS);
    if (isClaim) return new Date(Math.max(atMs, now - TOLERANCE_MS));
    return new Date(ongoing ? Math.max(atMs, now - ONGOING_WINDOW_MS) : atMs);
  }

  /** @returns the other device's admission that refuses the claim, if there is one @throws ServiceError 'rate-limited' */
  async function takeIn(caller: ServedCaller, { entries, claim }: AdmissionsRequest) {
    const { deviceId, list } = caller;
    const told = [...entries, ...(claim ? [{ ...claim, kind: 'claim' } as const] : [])].map(
      ({ kind, tag, sequence, at }): Heard => ({
        ...{ kind, tag: Buffer.from(tag, 'base64url'), sequence },
        admittedAt: timeOf(at, kind === 'claim', list),
      }),
    );
    if (told.length === 0) return;
    if (!(await o.store.hasRoom(caller, SPARE))) {
      throw new ServiceError('rate-limited', { detail: 'The device reported more people than are on the list.' });
    }
    return o.database.transaction(async (tx) => {
      const version = await o.store.hold(tx, caller);
      const tags = told.map(({ tag }) => tag);
      let known: readonly NamedAdmission[] = await o.store.known(tx, caller, tags, new Date(o.clock.now()));
      const of = ({ tag }: Heard) => known.filter((one) => one.tag.equals(tag));
      const changes = new Map<string, SharedAdmission>();
      for (const one of told) {
        const next = heard(of(one), deviceId, one);
        if (next === null) continue;
        const deleteAfter = list.ongoing ? new Date(next.admittedAt.getTime() + ONGOING_WINDOW_MS) : null;
        const change = { ...next, deleteAfter };
        changes.set(one.tag.toString('hex'), change);
        const isSame = (other: NamedAdmission) => other.deviceId === deviceId && other.tag.equals(one.tag);
        known = [...known.filter((other) => !isSame(other)), { ...change, version, name: caller.name }];
      }
      if (changes.size > 0) await o.store.put(tx, caller, version, [...changes.values()]);
      const last = told.at(-1);
      return last?.kind === 'claim' ? elsewhereOf(of(last), deviceId) : undefined;
    });
  }

  /** @param version of the list's last change */
  async function changesOf(caller: ServedCaller, since: number, version: number) {
    const rows = await o.store.changed(caller, since, MAX_ADMISSIONS_ANSWERED, new Date(o.clock.now()));
    const last = rows.filter((row) => row.version > since)[MAX_ADMISSIONS_ANSWERED - 1];
    const people = new Map<string, NamedAdmission[]>();
    for (const row of rows) {
      const tag = row.tag.toString('base64url');
      people.set(tag, [...(people.get(tag) ?? []), row]);
    }
    const entries = [...people].map(([tag, known]) => toAnswered(tag, known, caller.deviceId));
    const cursor = last?.version ?? Math.max(version, rows.at(-1)?.version ?? 0);
    return { more: last !== undefined, cursor, entries };
  }

  return {
    /**
     * Takes in what a device tells of whom it let in, decides its claim, and answers what changed.
     * @returns the signed envelope
     * @throws ServiceError 'invalid-credential', 'not-found', 'rate-limited'
     */
    async exchange(caller: DeviceCaller, nonce: string, signature: string, request: AdmissionsRequest) {
      if (caller.kind === 'wiped') throw new ServiceError('invalid-credential');
      const { listId, deviceId, list } = caller;
      if (request.listId !== listId) throw missing('list');
      if (!sharesAdmissions(list)) throw new ServiceError('not-found', { detail: 'The list shares no admissions.' });
      await requireSigned(caller, nonce, signature, request);
      const elsewhere = await takeIn(caller, request);
      const { version, origin } = await o.store.head(caller);
      const isContinued = request.since <= version && (request.origin ?? origin) === origin;
      const since = isContinued ? request.since : 0;
      const about = { answer: 'admissions', ...{ listId, deviceId, nonce, since, origin } } as const;
      const answer: AdmissionsAnswer =
        request.claim === undefined
          ? { ...about, ...(await changesOf(caller, since, version)), elsewhere: null }
          : {
              ...about,
              more: false,
              cursor: since,
              entries: [],
              elsewhere: elsewhere ? doorOf(elsewhere, deviceId) : null,
            };
      return sealed(answer);
    },
    /** Erases what devices told of people, with these, and tells the list's devices. */
    async forget(tx: Transaction, vault: AccountVault, list: ListKey, personIds: readonly string[]): Promise<void> {
      const version = await o.store.held(tx, list);
      if (version === null) return;
      const key = vault.admissionKey(list.listId);
      const tags = await Promise.all(personIds.map((personId) => lookupTagOf(key, personId)));
      key.fill(0);
      const admittedAt = new Date(o.clock.now());
      const deleteAfter = new Date(o.clock.now() + FULL_WIPE_MS);
      const gone = { deviceId: ERASED, sequence: 0, admittedAt, takenBack: true, knew: false, deleteAfter };
      const changes = tags.map((tag) => ({ ...gone, tag: Buffer.from(tag) }));
      await o.store.remove(
        tx,
        list,
        changes.map(({ tag }) => tag),
      );
      await o.store.put(tx, list, version, changes);
    },
  };

  async function sealed(answer: AdmissionsAnswer): Promise<Uint8Array> {
    const manifest = Buffer.from(JSON.stringify(answer));
    const { key } = await o.signing.current();
    const signature = key.sign(envelopeSigningInput(0, manifest));
    return encodeEnvelope({ payloadKind: 0, manifest, keyId: key.keyId, signature, payload: new Uint8Array() });
  }
}

const doorOf = (door: NamedAdmission, asking: string) => ({
  ...{ at: door.admittedAt.toISOString(), door: deviceNameOf(door), own: door.deviceId === asking },
});

/** One person as a device is told: of a conflict in which it takes part, its own. @param known at least one */
function toAnswered(tag: string, known: readonly NamedAdmission[], asking: string): AnsweredAdmission {
  const counting = known.filter(counts);
  const [first, ...later] = counting;
  const unaware = later.filter(({ knew }) => !knew);
  const also = unaware.find(({ deviceId }) => deviceId === asking) ?? unaware.at(-1);
  const standing = also ? first : (counting.findLast(({ knew }) => knew) ?? first);
  const shown = standing ?? (known.at(-1) as NamedAdmission);
  return { ...doorOf(shown, asking), tag, takenBack: standing === undefined, also: also ? doorOf(also, asking) : null };
}

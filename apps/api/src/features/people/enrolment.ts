import { recordTag } from '@svc/core/pack';
import {
  type ConsentVersion,
  consentTimeError,
  DAY_MS,
  type EnrolPersonRequest,
  isId,
  type TakenBy,
  TEST_LIMITS,
} from '@svc/protocol';
import { type AccountVault, openAccountVault } from '../../crypto/account-vault.ts';
import { type KeyRing, KeyShreddedError, type StoredListKey } from '../../crypto/key-ring.ts';
import type { Transaction } from '../../db/connection.ts';
import type { Admission } from '../../inference/port.ts';
import { found, missing, ServiceError } from '../../platform/errors.ts';
import { type AccountCaller, isStale } from '../accounts/service.ts';
import type { ConsentService, Shown } from '../consents/service.ts';
import type { EpochService } from '../lists/epochs.ts';
import { consentVersionOf, requireOpen } from '../lists/service.ts';
import type { ListKey, ListRecord, ListStore } from '../lists/store.ts';
import { changedMetadata, openMetadata, sealMetadata } from '../metadata.ts';
import type { UsageService } from '../usage/service.ts';
import type { Uses } from '../uses.ts';
import type { EnrolmentStore, EnrolmentView } from './enrolment-store.ts';
import type { PersonStore } from './store.ts';

/** What is sent with the photos; what is said of the person is stored as it is said. */
export interface Enrolment extends Omit<EnrolPersonRequest, 'imageBase64' | 'photoSource' | 'additionalImagesBase64'> {
  /** The photo's unparsed bytes, transferred to the worker. The caller wipes them if they were not. */
  readonly photo: Uint8Array<ArrayBuffer>;
  /** The source of the photos, as their sender declares it. */
  readonly takenBy?: TakenBy | undefined;
  /** Further photos of the same person, with the same ownership. */
  readonly additionalPhotos?: readonly Uint8Array<ArrayBuffer>[];
}

export interface Enrolled {
  readonly personId: string;
  readonly modelId: string;
  readonly deleteAfter: Date;
  /** Whether there was a face before. */
  readonly replaced: boolean;
}

/** Options and hooks of an enrolment. */
export interface EnrolmentTerms {
  /** Who showed the wording; default: the organiser. */
  readonly shown?: Shown;
  /** Called after all checks that do not need the photo. If it throws, the enrolment ends. */
  readonly beforePhoto?: () => Promise<void>;
  /**
   * Called at the end of the transaction that stores the face, holding the account's and the list's locks. If it
   * throws, the enrolment is rolled back. Called again if the transaction is retried.
   */
  readonly whenStored?: (tx: Transaction, stored: Enrolled & { readonly rowId: string }) => Promise<void>;
}

/** Properties of an account that determine the wording, and a person's session. */
type Account = Pick<AccountCaller, 'country' | 'billingCurrency' | 'session'>;

export type EnrolmentService = ReturnType<typeof createEnrolmentService>;

/** A deadline that moved during processing can only shorten what was sealed. */
function earlier(sealed: Date, deadline: Date | null): Date {
  return deadline !== null && deadline < sealed ? deadline : sealed;
}

interface Sealed {
  readonly engineId: string;
  readonly epoch: number;
  readonly record: Uint8Array;
  readonly deleteAfter: Date;
  readonly consentVersion: ConsentVersion;
  readonly isTest: boolean;
}

export function createEnrolmentService(
  o: Uses<'database' | 'outbox' | 'engines' | 'ids' | 'clock' | 'random'> & {
    readonly store: EnrolmentStore;
    readonly people: PersonStore;
    readonly lists: ListStore;
    readonly epochs: Pick<EpochService, 'current'>;
    readonly usage: UsageService;
    readonly consents: ConsentService;
    readonly keyRing: KeyRing;
  },
) {
  /** Checks the list, before processing the photo and again under the list's lock. */
  function requireOpenFor(caller: Account, list: ListRecord, consentVersion: string): ConsentVersion {
    requireOpen(list, o.clock.now());
    const accepted = consentVersionOf(caller, list);
    if (consentVersion !== accepted) throw new ServiceError('consent-version-mismatch');
    return accepted;
  }

  /** The list or account may have been deleted while the body was read. */
  function orNotFound(error: unknown): never {
    throw error instanceof KeyShreddedError ? missing('list') : error;
  }

  async function seal(
    { listId, engineId, photoCheck }: ListRecord,
    epoch: number,
    key: StoredListKey,
    { personId, photo, additionalPhotos = [] }: Enrolment,
    { deleteAfter, isTest }: Pick<Sealed, 'deleteAfter' | 'isTest'>,
    admission: Admission,
  ): Promise<Uint8Array> {
    const listKey = await key.unwrap();
    try {
      const deleteAfterMs = deleteAfter.getTime();
      const binding = { listId, epoch, engineId, personId, deleteAfterMs };
      const result = await admission.seal({
        ...binding,
        ...{ listKey, photo, additionalPhotos, checkPhoto: photoCheck === 'passive', isTest },
      });
      if (result.ok) return result.record;
      const { image, measured, limit, additional } = result;
      const pointer = `/additionalImagesBase64/${additional}`;
      throw new ServiceError(result.reason, {
        ...(additional === undefined ? {} : { errors: [{ pointer, detail: 'is refused' }] }),
        ...image,
        ...(measured === undefined ? {} : { measured }),
        ...(limit === undefined ? {} : { limit }),
      });
    } finally {
      listKey.fill(0);
    }
  }

  async function store(
    tx: Transaction,
    caller: Account,
    list: ListRecord,
    { personId, consent, metadata: change }: Enrolment,
    sealed: Sealed,
    vault: AccountVault,
    terms: EnrolmentTerms,
  ): Promise<Enrolled> {
    const held = found(await o.lists.lockAtNextVersion(tx, list), 'list');
    requireOpenFor(caller, held, consent.consentVersion);
    // The template is of the list's former model and the photo is gone, so the caller has to send it again.
    if (held.currentEpoch !== sealed.epoch) throw new ServiceError('not-ready', { retryAfterSeconds: 1 });
    const { accountId, listId } = list;
    const { consentVersion } = sealed;
    const deleteAfter = earlier(sealed.deleteAfter, held.retentionDeadline);
    const before = await o.people.findAny(tx, list, personId);
    const at = new Date(o.clock.now());
    // An expired person who is not removed yet is replaced and counts as new.
    const present = before !== null && before.deleteAfter > at ? before : null;
    if (present !== null && isStale(caller, at)) throw new ServiceError('reauthentication-required');
    await o.usage.bill(tx, vault, { accountId, personId, replaces: present !== null });
    if (sealed.isTest && present === null && (await o.people.isFull(tx, list, TEST_LIMITS.peopleOfList)))
      throw new ServiceError('test-limit-reached');

    const version = held.listVersion;
    const modelId = o.engines.modelIdOf(sealed.engineId);
    const face = { epoch: sealed.epoch, tag: Buffer.from(recordTag(sealed.record)) };
    if (before !== null && !(before.face.epoch === face.epoch && before.face.tag.equals(face.tag))) {
      await o.people.removeFace(tx, list, before.face, version, at);
    }
    const record = Buffer.from(sealed.record);
    const { rowId, enrolledAt } = present ?? { rowId: o.ids.nextUuid(), enrolledAt: at };
    const ticketRef = vault.ticketPseudonym(listId, personId);
    const metadata = changedMetadata(present === null ? {} : openMetadata(vault, present), change);
    const noted = sealMetadata(vault, listId, rowId, metadata);
    const person = { personId, ticketRef, rowId, consentVersion, face, deleteAfter, enrolledAt, ...noted };
    await o.people.put(tx, list, person, { record, version }, at);
    const shown = terms.shown ?? ({ by: 'organiser' } as const);
    await o.consents.recordGiven(tx, vault, { accountId, listId, personId }, consent, deleteAfter, shown);
    const data = { listId, personId, modelId, deleteAfter: deleteAfter.toISOString() };
    await o.outbox.publishAboutPeople(tx, vault, [{ type: 'person.enrolled', accountId, data }]);
    const enrolled = { personId, modelId, deleteAfter, replaced: present !== null };
    await terms.whenStored?.(tx, { ...enrolled, rowId });
    return enrolled;
  }

  return {
    /**
     * Reads the state for an enrolment; call it before reading the body.
     * @throws ServiceError 'not-found', or 'list-ended' for a list that was removed at its deadline
     */
    async find(key: ListKey): Promise<EnrolmentView> {
      const view = isId('lst', key.listId) ? await o.store.find(key) : null;
      if (view !== null) return view;
      const isOver = isId('lst', key.listId) && (await o.store.isOver(key));
      throw isOver ? new ServiceError('list-ended') : missing('list');
    },
    /** @throws ServiceError 'list-ended' or 'enrolment-closed' for a list that takes nobody any more */
    requireOpen: ({ list }: EnrolmentView) => requireOpen(list, o.clock.now()),
    /**
     * Enrols a person, or replaces the person's face. Resolves once the transaction is committed.
     * @throws ServiceError in this order: 'invalid-request' (givenAt), 'list-ended', 'enrolment-closed',
     * 'consent-version-mismatch', 'camera-required', 'model-missing', 'no-plan', 'plan-limit-reached',
     * 'reauthentication-required' for a face that an old session would replace, 'image-invalid', and the photo's quality
     * errors ('not-a-test-photo' and 'test-limit-reached' in a test account); 'invalid-request' for more metadata than a
     * person may have; 'not-found' for a list that was deleted meanwhile, 'not-ready' for one whose model was changed
     */
    async enrol(
      caller: Account,
      { list, bill, epoch: known }: EnrolmentView,
      enrolment: Enrolment,
      admission: Admission,
      terms: EnrolmentTerms = {},
    ): Promise<Enrolled> {
      const { personId, consent } = enrolment;
      const early = consentTimeError(consent, o.clock.now());
      if (early !== null) throw new ServiceError('invalid-request', { errors: [early] });
      const accepted = requireOpenFor(caller, list, consent.consentVersion);
      if (list.photoSource === 'camera' && enrolment.takenBy !== 'camera') throw new ServiceError('camera-required');
      const { engineId } = o.engines.require(list.engineId);
      // The passive check was installed when the list was created, or is on another node.
      if (list.photoCheck === 'passive' && !o.engines.checksPhotos) throw new ServiceError('model-missing');
      const epoch = known ?? (await o.epochs.current(list));
      // Concurrently, so that the key store is asked once for both.
      const [opened, found] = await Promise.allSettled([
        openAccountVault(o.keyRing, o.random, list.accountId),
        // Unwrapped only when the photo is about to be sealed.
        o.keyRing.findListKey(list.listId, epoch),
      ]);
      if (opened.status === 'rejected') return orNotFound(opened.reason);
      const vault = opened.value;
      try {
        const now = new Date(o.clock.now());
        const replaces = async () => (await o.people.find(list, personId, now)) !== null;
        await o.usage.check(vault, bill, { accountId: list.accountId, personId }, replaces);
        if (isStale(caller, now) && (await replaces())) throw new ServiceError('reauthentication-required');
        const deleteAfter = list.retentionDeadline ?? new Date(now.getTime() + list.retainDays * DAY_MS);
        await terms.beforePhoto?.();
        if (found.status === 'rejected') return orNotFound(found.reason);
        const kept = { deleteAfter, isTest: bill.mode === 'test' };
        const record = await seal(list, epoch, found.value, enrolment, kept, admission);
        const sealed = { engineId, epoch, record, ...kept, consentVersion: accepted };
        return await o.database.transaction((tx) => store(tx, caller, list, enrolment, sealed, vault, terms));
      } finally {
        vault.close();
      }
    },
  };
}

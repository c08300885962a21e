import { timingSafeEqual } from 'node:crypto';
import type { EnrolReason } from '@svc/face-engine';
import {
  type Consent,
  type EnrolledGuest,
  type ErrorCode,
  type HeldToken,
  IDEMPOTENCY_KEPT_MS,
  photoRefusals,
  type TakenBy,
  type WidgetSession,
} from '@svc/protocol';
import { withAccountVault } from '../../crypto/account-vault.ts';
import { secretSha256 } from '../../crypto/secrets.ts';
import type { Transaction } from '../../db/connection.ts';
import type { Admission } from '../../inference/port.ts';
import { coalesce } from '../../platform/coalesce.ts';
import { ServiceError } from '../../platform/errors.ts';
import { keepLease, leaseEnd, secondsUntil } from '../../platform/lease.ts';
import { type BrandService, toShownBrand } from '../brand/service.ts';
import { consentVersionOf, requireOpen } from '../lists/service.ts';
import type { MailingStore } from '../mailings/store.ts';
import type { EnrolmentService } from '../people/enrolment.ts';
import { attemptsLeftOf, DECLINE_UNDO_MS, isExamined, tokenStateOf } from '../tokens/issuer.ts';
import type { TokenMarks } from '../tokens/store.ts';
import type { Uses } from '../uses.ts';
import { type Wording, wordingFor, wordingLanguages } from '../wording/wording.ts';
import type { Guest, WidgetStore } from './store.ts';

/** Errors of an unusable photo, which cost an attempt. */
const UNUSABLE: ReadonlySet<string> = new Set(
  photoRefusals satisfies readonly ('image-invalid' | 'photo-not-live' | EnrolReason)[],
);

/** Errors after which a token cannot be used any more. */
const ENDS_USE: ReadonlySet<string> = new Set([
  'token-used',
  'token-expired',
  'token-exhausted',
  'invalid-credential',
  'list-ended',
  'enrolment-closed',
] satisfies ErrorCode[]);

const isUnusable = (code: string): code is ErrorCode => UNUSABLE.has(code);

export interface GuestEnrolment {
  readonly consent: Omit<Consent, 'givenAt'>;
  /** Language of the shown wording. */
  readonly language: string;
  readonly wordingSha256: string;
  /** Source of the photo, as the page declares it. */
  readonly takenBy: TakenBy | undefined;
  /** The photo's unparsed bytes, transferred to the worker. The caller wipes them if they were not. */
  readonly photo: Uint8Array<ArrayBuffer>;
}

/** Before anything is read or done for a guest. @throws ServiceError 'preview-only' */
function refusePreview({ isPreview }: Guest): void {
  if (isPreview) throw new ServiceError('preview-only');
}

const isSame = (a: Buffer | null, b: Buffer | null) => a !== null && b !== null && a.equals(b);

/** @throws ServiceError one of the 401s when the token is no longer usable */
function requireValid(token: TokenMarks | null, nowMs: number): void {
  if (token === null) throw new ServiceError('invalid-credential');
  const state = tokenStateOf(token, nowMs);
  if (state === 'used' || state === 'declined') throw new ServiceError('token-used');
  if (state === 'revoked') throw new ServiceError('invalid-credential');
  if (state === 'exhausted') throw new ServiceError('token-exhausted');
  if (state === 'expired') throw new ServiceError('token-expired');
}

const toShownEvent = ({ startsAt, timeZone, place }: Guest['event']) => ({
  ...{ startsAt: startsAt.toISOString(), timeZone, place },
});

export type WidgetService = ReturnType<typeof createWidgetService>;

export function createWidgetService(
  o: Uses<'database' | 'outbox' | 'keyRing' | 'ids' | 'clock' | 'random'> & {
    readonly store: WidgetStore;
    readonly brands: Pick<BrandService, 'shownTo'>;
    readonly enrolments: EnrolmentService;
    readonly mailings: Pick<MailingStore, 'forgetTickets'>;
  },
) {
  const guestFinder = (find: (sha256s: readonly Buffer[]) => Promise<Guest[]>) =>
    coalesce(async (sha256s: readonly Buffer[]) => {
      const found = await find(sha256s);
      return sha256s.map((sha256) => found.find(({ tokenSha256 }) => timingSafeEqual(tokenSha256, sha256)) ?? null);
    });
  const findGuest = guestFinder((sha256s) => o.store.findGuests(sha256s));
  const findPreview = guestFinder((sha256s) => o.store.findPreviews(sha256s));

  const inProgress = (until: Date | null) =>
    new ServiceError('photo-in-progress', until === null ? {} : { retryAfterSeconds: secondsUntil(until, o.clock) });

  /** Throws the reason why a token that was valid a moment ago is not. */
  async function refuse(guest: Guest, tx?: Transaction): Promise<never> {
    const marks = await o.store.marks(guest, tx);
    requireValid(marks, o.clock.now());
    throw inProgress(marks?.examinationUntil ?? null);
  }

  /** The answer of the request that used a token, for its repeats. */
  async function earlierAnswer(guest: Guest, requestSha256: Buffer | null): Promise<EnrolledGuest | null> {
    const { personRowId } = guest;
    if (personRowId === null || !isSame(guest.requestSha256, requestSha256) || !isRecent(guest.usedAt)) return null;
    const deleteAfter = await o.store.keptUntil(guest, personRowId, new Date(o.clock.now()));
    return deleteAfter === null ? null : { deleteAfter: deleteAfter.toISOString() };
  }

  const isRecent = (at: Date | null) => at !== null && o.clock.now() < at.getTime() + IDEMPOTENCY_KEPT_MS;
  const hashOf = (requestKey: string | null) => (requestKey === null ? null : secretSha256(requestKey));

  const ticketIdOf = ({ accountId, tokenId, ticketIdSealed }: Guest): Promise<string> =>
    withAccountVault(o, accountId, (vault) => {
      const ticketId = ticketIdSealed === null ? null : vault.openTicketId(tokenId, ticketIdSealed);
      if (ticketId === null) throw new Error('a valid token has no ticket');
      return ticketId;
    });

  /**
   * The wording that the guest declares to have seen.
   * @throws ServiceError 'consent-version-mismatch' when it is not the current one
   */
  function wordingShown(guest: Guest, enrolment: GuestEnrolment): Wording {
    const wording = wordingFor(consentVersionOf(guest, guest.list), enrolment.language);
    const isCurrent =
      enrolment.consent.consentVersion === wording.consentVersion && enrolment.wordingSha256 === wording.sha256;
    if (!isCurrent) throw new ServiceError('consent-version-mismatch');
    return wording;
  }

  /** Ends a failed examination. @returns the error for the guest */
  async function settle(guest: Guest, examination: string, requestSha256: Buffer | null, error: unknown) {
    const refusal = error instanceof ServiceError && isUnusable(error.code) ? error : null;
    const attempts = refusal && (await o.store.refusePhoto(guest, examination, requestSha256, refusal.code));
    if (attempts === null) await o.store.cancelExamination(guest, examination);
    if (refusal === null) return error;
    if (attempts === null) return refuse(guest);
    return new ServiceError(refusal.code, { ...refusal.details, attemptsLeft: attemptsLeftOf({ attempts }) });
  }

  async function spend(
    tx: Transaction,
    guest: Guest,
    examination: string,
    requestSha256: Buffer | null,
    personRowId: string,
  ) {
    const { ticketRef } = guest;
    const spending = { at: new Date(o.clock.now()), examination, ticketRef, requestSha256, personRowId };
    if (!(await o.store.spend(tx, guest, spending))) await refuse(guest, tx);
    await o.mailings.forgetTickets(tx, guest, [ticketRef], 'enrolled');
  }

  async function enrol(guest: Guest, enrolment: GuestEnrolment, admission: Admission, requestKey: string | null) {
    refusePreview(guest);
    requireOpen(guest.list, o.clock.now());
    const { sha256, language } = wordingShown(guest, enrolment);
    const personId = await ticketIdOf(guest);
    const consent = { ...enrolment.consent, givenAt: new Date(o.clock.now()).toISOString() };
    const requestSha256 = hashOf(requestKey);
    const examination = o.ids.nextUuid();
    let begun = false;
    let endRenewals = () => {};
    try {
      const { deleteAfter } = await o.enrolments.enrol(
        guest,
        await o.enrolments.find(guest),
        { personId, consent, photo: enrolment.photo, takenBy: enrolment.takenBy },
        admission,
        {
          shown: { by: 'service', wordingSha256: sha256, language },
          async beforePhoto() {
            const now = new Date(o.clock.now());
            begun = await o.store.beginExamination(guest, examination, now, leaseEnd(o.clock));
            if (!begun) await refuse(guest);
            endRenewals = keepLease(o.clock, (end) => o.store.renewExamination(guest, examination, end));
          },
          whenStored(tx, { rowId }) {
            // From here on the transaction locks the row.
            endRenewals();
            return spend(tx, guest, examination, requestSha256, rowId);
          },
        },
      );
      return { deleteAfter: deleteAfter.toISOString() };
    } catch (error) {
      endRenewals();
      if (!begun && error instanceof ServiceError && error.code === 'token-used') {
        // Used since it was read, perhaps by a concurrent copy of this request.
        const spent = await findGuest(guest.tokenSha256);
        const answered = spent === null ? null : await earlierAnswer(spent, requestSha256);
        if (answered !== null) return answered;
      }
      const told = begun ? await settle(guest, examination, requestSha256, error) : error;
      // The list was deleted: the token is no longer valid.
      if (told instanceof ServiceError && told.code === 'not-found') throw new ServiceError('invalid-credential');
      throw told;
    }
  }

  async function decline(guest: Guest, requestKey: string | null): Promise<void> {
    refusePreview(guest);
    const requestSha256 = hashOf(requestKey);
    const isRepeat = (of: Guest | null) =>
      of !== null && isSame(of.requestSha256, requestSha256) && isRecent(of.declinedAt);
    if (isRepeat(guest)) return;
    requireValid(guest, o.clock.now());
    const ticketId = await ticketIdOf(guest);
    const { accountId, listId, event } = guest;
    const declined = {
      type: 'person.declined',
      accountId,
      data: { eventId: event.eventId, listId, ticketId },
    } as const;
    const isDeclined = await withAccountVault(o, accountId, (vault) =>
      o.database.transaction(async (tx) => {
        if (!(await o.store.decline(tx, guest, new Date(o.clock.now()), requestSha256))) return false;
        await o.mailings.forgetTickets(tx, guest, [guest.ticketRef], 'declined');
        await o.outbox.publishAboutPeople(tx, vault, [declined]);
        return true;
      }),
    );
    // Used since it was read, perhaps by a concurrent copy of this request.
    if (!isDeclined && !isRepeat(await findGuest(guest.tokenSha256))) await refuse(guest);
  }

  /** An error that ends a token's use, with what its holder may know about the token. */
  async function explained({ tokenSha256 }: Guest, error: unknown): Promise<unknown> {
    if (!(error instanceof ServiceError) || !ENDS_USE.has(error.code)) return error;
    const guest = await findGuest(tokenSha256);
    if (guest === null) return error;
    const now = new Date(o.clock.now());
    const { accountId, event, personRowId } = guest;
    const brand = await o.brands.shownTo({ accountId, eventId: event.eventId, previewId: null });
    const deleteAfter = personRowId === null ? null : await o.store.keptUntil(guest, personRowId, now);
    const token: HeldToken = {
      organiserName: event.organiserName,
      privacyNoticeUrl: event.privacyNoticeUrl,
      eventName: event.name,
      event: toShownEvent(event),
      // Heading and benefit belong to the consent, and this answer has no language.
      brand: brand && toShownBrand(brand, ''),
      ...(guest.mode === 'test' ? { mode: guest.mode } : {}),
      state: tokenStateOf(guest, now.getTime()),
      ...(deleteAfter === null ? {} : { deleteAfter: deleteAfter.toISOString() }),
    };
    return new ServiceError(error.code, { ...error.details, token });
  }

  /** Work whose refusals tell what became of the token. */
  const explaining =
    <Args extends unknown[], T>(work: (guest: Guest, ...args: Args) => Promise<T>) =>
    (guest: Guest, ...args: Args): Promise<T> =>
      work(guest, ...args).catch(async (error: unknown) => {
        throw await explained(guest, error);
      });

  return {
    /** The guest of a token, even a used one. @throws ServiceError 'invalid-credential' or 'account-suspended' */
    async authenticate(token: string): Promise<Guest> {
      const sha256 = secretSha256(token);
      const guest = (await findGuest(sha256)) ?? (await findPreview(sha256));
      if (guest === null) throw new ServiceError('invalid-credential');
      if (guest.suspendedAt !== null) throw new ServiceError('account-suspended');
      if (guest.list.deletingAt !== null) throw new ServiceError('invalid-credential');
      return guest;
    },
    /**
     * @param choose selects the guest's language from those offered
     * @throws ServiceError 'token-used', 'token-expired', 'token-exhausted', 'invalid-credential', 'list-ended' or
     * 'enrolment-closed'; as those of the other methods, with what became of the token
     */
    session: explaining(async (guest, choose: (offered: readonly string[]) => string): Promise<WidgetSession> => {
      const { accountId, tokenId, event, isPreview } = guest;
      requireValid(guest, o.clock.now());
      if (!isPreview) {
        requireOpen(guest.list, o.clock.now());
        if (!guest.isOpened) await o.store.markOpened(guest, new Date(o.clock.now()));
      }
      const version = consentVersionOf(guest, guest.list);
      const languages = wordingLanguages(version);
      const { consentVersion, language, wording, sha256 } = wordingFor(version, choose(languages));
      const previewId = isPreview ? tokenId : null;
      const brand = await o.brands.shownTo({ accountId, eventId: event.eventId, previewId });
      return {
        eventName: event.name,
        event: toShownEvent(event),
        organiserName: event.organiserName,
        privacyNoticeUrl: event.privacyNoticeUrl,
        ...{ consentVersion, language, languages: [...languages], wording, wordingSha256: sha256 },
        photoSource: guest.list.photoSource,
        attemptsLeft: attemptsLeftOf(guest),
        expiresAt: guest.expiresAt.toISOString(),
        deleteAfter: guest.list.retentionDeadline.toISOString(),
        brand: brand && toShownBrand(brand, language),
        preview: isPreview,
        ...(guest.mode === 'test' ? { mode: guest.mode } : {}),
      };
    }),
    /**
     * Checks whether the token may be used, and finds the answer of an earlier request that used it or whose photo was
     * unusable.
     * @param requestKey identifies the request and its repeats; null for none
     * @throws ServiceError as `session`; 'preview-only'; 'photo-in-progress'; or the earlier request's error
     */
    answerAgain: explaining(async (guest, requestKey: string | null): Promise<EnrolledGuest | null> => {
      refusePreview(guest);
      const now = o.clock.now();
      const requestSha256 = hashOf(requestKey);
      const { refused } = guest;
      const answered = await earlierAnswer(guest, requestSha256);
      if (answered !== null) return answered;
      const state = tokenStateOf(guest, now);
      if (refused !== null && isUnusable(refused.code) && isSame(refused.requestSha256, requestSha256)) {
        const attemptsLeft = attemptsLeftOf(guest);
        if (state === 'valid' || state === 'exhausted') throw new ServiceError(refused.code, { attemptsLeft });
      }
      requireValid(guest, now);
      if (isExamined(guest, now)) throw inProgress(guest.examinationUntil);
      return null;
    }),
    /**
     * Enrols the guest, and uses up the token and all others for the ticket, in one transaction.
     * @throws ServiceError as {@link EnrolmentService.enrol} and `session`; for an unusable photo with the number of
     * attempts left
     */
    enrol: explaining(enrol),
    /**
     * The guest declines and uses the standard entrance; uses up the token.
     * @throws ServiceError as `session`, except the list's errors; 'preview-only'
     */
    decline: explaining(decline),
    /**
     * Takes a decline back, if it was made with this key not long ago. A token that was not declined stays as it is.
     * @throws ServiceError as `decline`
     */
    undoDecline: explaining(async (guest, requestKey: string | null): Promise<void> => {
      refusePreview(guest);
      const now = o.clock.now();
      const by = hashOf(requestKey);
      const since = new Date(now - DECLINE_UNDO_MS);
      if (by !== null && (await o.store.undoDecline(guest, new Date(now), { by, since }))) return;
      requireValid(await o.store.marks(guest), now);
    }),
  };
}

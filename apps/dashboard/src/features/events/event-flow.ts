import { newUuid } from '@svc/page-kit';
import { EVENT_RETAIN_DAYS, isPlainHttpsUrl } from '@svc/protocol';
import { api } from '../../api/client.ts';
import { ApiError, hasCode } from '../../api/errors.ts';
import { toInstant } from '../../text/places.ts';
import { type ListPolicies, policiesOf } from '../lists/consequences.tsx';

/**
 * The way to a new event, step by step. A draft is what the page keeps on this device; a step is done when the service has
 * answered. A call whose answer was lost is sent again as it was, under the draft's key, so that nothing is made twice.
 */

export const steps = ['event', 'list', 'organiser', 'looks', 'embed', 'test'] as const;
export type StepName = (typeof steps)[number];

export interface EventFields {
  readonly name: string;
  /** Wall clock at the place: `2026-06-20T18:00`. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly timeZone: string;
  /** Empty for none; absent in drafts of former versions. */
  readonly place?: string;
  /** ISO 3166-1 alpha-2; empty for none. */
  readonly country: string;
}
export interface ListFields extends ListPolicies {
  /** Empty: named as the event. */
  readonly name: string;
}
export interface OrganiserFields {
  readonly organiserName: string;
  readonly privacyNoticeUrl: string;
}

/** As the service takes them: times in UTC. */
export type EventBody = Omit<EventFields, 'country'> & Partial<Pick<EventFields, 'country'>>;
export type ListBody = { readonly name: string; readonly eventId: string } & ReturnType<typeof policiesOf>;

/** A creation that may or may not have happened. */
export type Pending = { readonly sentAtMs: number } & (
  | { readonly what: 'event'; readonly body: EventBody }
  | { readonly what: 'list'; readonly body: ListBody }
);

export interface Draft {
  /** Names the draft in its idempotency keys. */
  readonly draftId: string;
  readonly step: StepName;
  readonly event: EventFields;
  readonly list: ListFields;
  readonly organiser: OrganiserFields;
  readonly eventId: string | null;
  readonly listId: string | null;
  /** As the service has it; null before. */
  readonly saved: {
    readonly event: EventBody | null;
    readonly list: ListBody | null;
    readonly organiser: OrganiserFields | null;
  };
  readonly pending: Pending | null;
}

/** The draft as it is now. `set` keeps it on this device: before a call and after its answer. */
export interface DraftStore {
  readonly get: () => Draft;
  readonly set: (changes: Partial<Draft>) => void;
}

type Field = keyof EventFields | keyof OrganiserFields | 'listName' | 'retainDays';
type FieldFault = 'required' | 'too-long' | 'not-a-time' | 'before-start' | 'in-the-past' | 'not-https' | 'range';
export type Faults = Partial<Record<Field, FieldFault>>;

/** The service keeps keys for 24 hours. */
export const KEY_LIFE_MS = 23 * 3_600_000;
const MAX_NAME = 200;

/**
 * Closes a creation without an answer whose key the service does not know any more: sent again by it, a second one would
 * be made. What was typed is kept. @returns whether there was one
 */
export function forgetOld({ get, set }: DraftStore): boolean {
  const { pending } = get();
  if (pending === null || Date.now() - pending.sentAtMs < KEY_LIFE_MS) return false;
  set({ pending: null, draftId: newUuid() });
  return true;
}

export const advised: ListPolicies = { retainDays: EVENT_RETAIN_DAYS.advised, isCameraOnly: false };

export const newDraft = (o: {
  readonly draftId: string;
  readonly event: Pick<EventFields, 'startsAt' | 'endsAt' | 'timeZone' | 'country'>;
  readonly organiserName: string;
}): Draft => ({
  draftId: o.draftId,
  step: 'event',
  event: { name: '', ...o.event },
  list: { name: '', ...advised },
  organiser: { organiserName: o.organiserName, privacyNoticeUrl: '' },
  eventId: null,
  listId: null,
  saved: { event: null, list: null, organiser: null },
  pending: null,
});

export function eventBodyOf({ event }: Pick<Draft, 'event'>): EventBody | null {
  const startsAt = toInstant(event.startsAt, event.timeZone);
  const endsAt = toInstant(event.endsAt, event.timeZone);
  if (startsAt === null || endsAt === null) return null;
  const { timeZone, country } = event;
  const place = event.place?.trim() ?? '';
  const given = { ...(place === '' ? {} : { place }), ...(country === '' ? {} : { country }) };
  return { name: event.name.trim(), startsAt, endsAt, timeZone, ...given };
}

const listNameOf = ({ list, event }: Draft): string => list.name.trim() || event.name.trim();

const organiserOf = ({ organiser }: Draft): OrganiserFields => ({
  organiserName: organiser.organiserName.trim(),
  privacyNoticeUrl: organiser.privacyNoticeUrl.trim(),
});

function textFault(text: string, isRequired: boolean): FieldFault | null {
  const trimmed = text.trim();
  if (trimmed === '') return isRequired ? 'required' : null;
  return [...trimmed].length > MAX_NAME ? 'too-long' : null;
}

const drop = (faults: Record<string, FieldFault | null>): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== null));

/** What of an event's fields the service would refuse. */
export function eventFaults(event: EventFields, nowMs: number): Faults {
  const startsAt = toInstant(event.startsAt, event.timeZone);
  const endsAt = toInstant(event.endsAt, event.timeZone);
  const end =
    endsAt === null
      ? 'not-a-time'
      : startsAt !== null && endsAt <= startsAt
        ? 'before-start'
        : Date.parse(endsAt) <= nowMs
          ? 'in-the-past'
          : null;
  return drop({
    name: textFault(event.name, true),
    startsAt: startsAt === null ? 'not-a-time' : null,
    endsAt: end,
  });
}

export function organiserFaults({ organiserName, privacyNoticeUrl }: OrganiserFields): Faults {
  const url = privacyNoticeUrl.trim();
  return drop({
    organiserName: textFault(organiserName, true),
    privacyNoticeUrl: url === '' ? 'required' : isPlainHttpsUrl(url) ? null : 'not-https',
  });
}

export function faultsOf(draft: Draft, nowMs: number): Faults {
  if (draft.step === 'event') return eventFaults(draft.event, nowMs);
  if (draft.step === 'organiser') return organiserFaults(draft.organiser);
  if (draft.step !== 'list') return {};
  const { retainDays } = draft.list;
  const isInRange = Number.isInteger(retainDays) && retainDays >= 0 && retainDays <= 30;
  return drop({ listName: textFault(draft.list.name, false), retainDays: isInRange ? null : 'range' });
}

/** Whether a step can be opened: everything before it is saved. */
export function isOpen({ eventId, listId, saved }: Draft, step: StepName): boolean {
  if (step === 'event') return true;
  if (step === 'list') return eventId !== null;
  if (step === 'organiser') return listId !== null;
  return listId !== null && saved.organiser !== null;
}

const isSame = (one: object | null, other: object) => JSON.stringify(one) === JSON.stringify(other);

/** A creation that was refused did not happen; whether one that was lost did, its repetition finds out. */
async function create<Answer>({ get, set }: DraftStore, pending: Pending, call: (key: string) => Promise<Answer>) {
  set({ pending });
  try {
    return await call(`draft-${get().draftId}-${pending.what}`);
  } catch (error) {
    const isLost = !(error instanceof ApiError) || error.isTemporary || error.o.status === 401;
    if (!isLost && !hasCode(error, 'request-in-flight')) set({ pending: null });
    // Another tab has sent something else by this key.
    if (hasCode(error, 'idempotency-key-reused')) set({ draftId: newUuid() });
    throw error;
  }
}

async function saveEvent(store: DraftStore): Promise<void> {
  const { get, set } = store;
  const { saved, pending } = get();
  // What is open is sent as it was, whatever the page shows by now.
  const body = pending?.what === 'event' ? pending.body : eventBodyOf(get());
  if (saved.event === null && body !== null) {
    const sent = pending?.what === 'event' ? pending : { what: 'event' as const, body, sentAtMs: Date.now() };
    const { eventId } = await create(store, sent, (idempotencyKey) =>
      api.call('createEvent', { body, idempotencyKey }),
    );
    set({ eventId, saved: { ...get().saved, event: body }, pending: null });
  }
  // What was typed since the creation was sent.
  const { eventId, saved: now } = get();
  const event = eventBodyOf(get());
  if (eventId === null || now.event === null || event === null || isSame(now.event, event)) return;
  const before = now.event;
  const all = { place: null, country: null, ...event };
  const changed = Object.entries(all).filter(([name, value]) => (before[name as keyof EventBody] ?? null) !== value);
  await api.call('updateEvent', { params: { eventId }, body: Object.fromEntries(changed) });
  set({ saved: { ...get().saved, event } });
}

async function saveList(store: DraftStore): Promise<void> {
  const { get, set } = store;
  const { saved, pending, eventId, list } = get();
  if (saved.list === null && eventId !== null) {
    const shown = { name: listNameOf(get()), eventId, ...policiesOf(list) };
    const sent = pending?.what === 'list' ? pending : { what: 'list' as const, body: shown, sentAtMs: Date.now() };
    const { body } = sent;
    try {
      const made = await create(store, sent, (idempotencyKey) => api.call('createList', { body, idempotencyKey }));
      set({ ...withList(get(), made.listId, body), pending: null });
    } catch (error) {
      if (!hasCode(error, 'event-has-list')) throw error;
      await lookUp(store);
    }
  }
  const { listId, saved: now } = get();
  const name = listNameOf(get());
  if (listId === null || now.list === null || now.list.name === name) return;
  await api.call('updateList', { params: { listId }, body: { name } });
  set({ saved: { ...get().saved, list: { ...now.list, name } } });
}

async function saveOrganiser({ get, set }: DraftStore): Promise<void> {
  const { eventId, saved } = get();
  const organiser = organiserOf(get());
  if (eventId === null || isSame(saved.organiser, organiser)) return;
  await api.call('setWidgetSettings', { params: { eventId }, body: { ...organiser } });
  set({ saved: { ...get().saved, organiser } });
}

const saves: Partial<Record<StepName, (store: DraftStore) => Promise<void>>> = {
  event: saveEvent,
  list: saveList,
  organiser: saveOrganiser,
};

/** The step that a draft is at: none comes before what it needs. */
const stepOf = ({ step, eventId, listId }: Draft): StepName =>
  eventId === null ? 'event' : listId === null && step !== 'event' ? 'list' : step;

/**
 * Brings the service to what the step shows, and goes on to the next one, unless another was chosen meanwhile.
 * @throws ApiError; after a lost answer the next try sends the same again, and then what was typed since
 */
export async function saveStep(store: DraftStore): Promise<void> {
  const step = stepOf(store.get());
  store.set({ step });
  await saves[step]?.(store);
  const now = store.get();
  const next = steps[steps.indexOf(step) + 1];
  const isSaved = step !== 'event' || eventBodyOf(now) !== null;
  if (now.step === step && next !== undefined && isSaved && isOpen(now, next)) store.set({ step: next });
}

/** What was chosen with a list is fixed here; its settings change who watches. */
const withList = ({ list, saved }: Draft, listId: string, body: ListBody): Partial<Draft> => {
  const { retainDays, photoSource, attendance } = body;
  const chosen = { retainDays, isCameraOnly: photoSource === 'camera', attendance };
  return { listId, list: { ...list, ...chosen }, saved: { ...saved, list: body } };
};

/**
 * Takes over what the service has by now: another person, or another page, may have changed it. Steps that are open again
 * are shown again. @throws ApiError `not-found`: the event is gone
 */
export async function lookUp({ get, set }: DraftStore): Promise<void> {
  const { eventId, saved: since } = get();
  if (eventId === null) return;
  const { listId, widget } = await api.call('getEvent', { params: { eventId } });
  const found = listId === null ? null : await api.call('getList', { params: { listId } });
  // An answer from before something was saved or sent here knows nothing of it.
  if (get().saved !== since || get().pending !== null) return;
  const saved = { ...since, organiser: widget === null ? null : since.organiser };
  set({ listId: null, saved: { ...saved, list: null } });
  if (found !== null && listId !== null) {
    const policies = policiesOf({ ...found, isCameraOnly: found.photoSource === 'camera' });
    set(withList(get(), listId, { name: found.name, eventId, ...policies }));
  }
  const { step } = get();
  if (!isOpen(get(), step)) set({ step: listId === null ? 'list' : 'organiser' });
}

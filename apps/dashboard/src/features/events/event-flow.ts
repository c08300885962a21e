import type { Step } from '@svc/page-kit';
import { toInstant } from '../../text/places.ts';

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
  /** ISO 3166-1 alpha-2; empty for none. */
  readonly country: string;
}
export interface ListFields {
  /** Empty: named as the event. */
  readonly name: string;
  readonly retainDays: number;
  /** Guests may send no file. */
  readonly isCameraOnly: boolean;
}
export interface OrganiserFields {
  readonly organiserName: string;
  readonly privacyNoticeUrl: string;
}

/** As the service takes them: times in UTC. */
export type EventBody = Omit<EventFields, 'country'> & Partial<Pick<EventFields, 'country'>>;
export interface ListBody {
  readonly name: string;
  readonly eventId: string;
  readonly retainDays: number;
  readonly photoSource?: 'camera';
}

/** A creation that may or may not have happened. */
export type Pending = { readonly sentAtMs: number } & (
  | { readonly what: 'event'; readonly body: EventBody }
  | { readonly what: 'list'; readonly body: ListBody }
);

export interface Draft {
  readonly version: 1;
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

type Field = keyof EventFields | keyof OrganiserFields | 'listName' | 'retainDays';
type FieldFault = 'required' | 'too-long' | 'not-a-time' | 'before-start' | 'in-the-past' | 'not-https' | 'range';
export type Faults = Partial<Record<Field, FieldFault>>;

/** What is to be called next. Keys go with creations alone: a repeated change does no harm. */
export type Command =
  | { readonly call: 'createEvent'; readonly body: EventBody; readonly key: string }
  | { readonly call: 'updateEvent'; readonly eventId: string; readonly body: Partial<EventBody> }
  | { readonly call: 'createList'; readonly body: ListBody; readonly key: string }
  | { readonly call: 'updateList'; readonly listId: string; readonly body: { readonly name: string } }
  | { readonly call: 'setWidgetSettings'; readonly eventId: string; readonly body: OrganiserFields }
  /** Looks whether a creation of long ago happened: its key is forgotten by now. */
  | { readonly call: 'findEvent'; readonly body: EventBody; readonly sinceMs: number }
  | { readonly call: 'findList'; readonly eventId: string };

export type Happening =
  | {
      readonly type: 'edited';
      readonly event?: Partial<EventFields>;
      readonly list?: Partial<ListFields>;
      readonly organiser?: Partial<OrganiserFields>;
    }
  /** The person goes on, or the page was loaded again and something is open. */
  | { readonly type: 'submitted'; readonly nowMs: number }
  | { readonly type: 'resumed'; readonly nowMs: number }
  | { readonly type: 'event-saved'; readonly eventId: string; readonly body: EventBody }
  | { readonly type: 'list-saved'; readonly listId: string; readonly body: ListBody }
  | { readonly type: 'organiser-saved'; readonly body: OrganiserFields }
  /** A search for a creation found nothing: it did not happen. */
  | { readonly type: 'not-found'; readonly nowMs: number }
  /** Refused: nothing happened, and the key is free. Lost: nobody knows. */
  | { readonly type: 'failed'; readonly isRefused: boolean; readonly code: string | null }
  /** What the service has by now: another person, or another page, may have changed it. */
  | {
      readonly type: 'looked';
      readonly event: { readonly listId: string | null; readonly hasOrganiser: boolean };
      /** What the draft had saved when the service was asked. */
      readonly since: Draft['saved'];
    }
  /** Another tab went on with it, or a new one is begun. */
  | { readonly type: 'replaced'; readonly draft: Draft }
  | { readonly type: 'went'; readonly step: StepName };

/** The service keeps keys for 24 hours. */
export const KEY_LIFE_MS = 23 * 3_600_000;
/** Clocks differ. */
const CLOCK_MS = 10 * 60_000;
const MAX_NAME = 200;

export const newDraft = (o: {
  readonly draftId: string;
  readonly event: Pick<EventFields, 'startsAt' | 'endsAt' | 'timeZone' | 'country'>;
  readonly organiserName: string;
}): Draft => ({
  version: 1,
  draftId: o.draftId,
  step: 'event',
  event: { name: '', ...o.event },
  list: { name: '', retainDays: 0, isCameraOnly: false },
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
  return { name: event.name.trim(), startsAt, endsAt, timeZone, ...(country === '' ? {} : { country }) };
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

function isHttps(text: string): boolean {
  const isPlain = /^https:\/\/[^\s\p{Cc}@/?#]+([/?#][^\s\p{Cc}]*)?$/u.test(text);
  return isPlain && text.length <= 2048 && URL.canParse(text);
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
    privacyNoticeUrl: url === '' ? 'required' : isHttps(url) ? null : 'not-https',
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

type Next = Step<Draft, Command>;
const stay = (state: Draft): Next => ({ state, effects: [] });
const goOn = (draft: Draft): Next =>
  stay({ ...draft, step: steps[Math.min(steps.indexOf(draft.step) + 1, steps.length - 1)] ?? draft.step });

const changesOf = (saved: EventBody, body: EventBody): Partial<EventBody> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => saved[name as keyof EventBody] !== value));

function create(draft: Draft, pending: Pending): Next {
  const key = `draft-${draft.draftId}-${pending.what}`;
  const command: Command =
    pending.what === 'event'
      ? { call: 'createEvent', body: pending.body, key }
      : { call: 'createList', body: pending.body, key };
  return { state: { ...draft, pending }, effects: [command] };
}

function find(draft: Draft, { what, body }: Pending, sinceMs: number): Next {
  const command: Command =
    what === 'event' ? { call: 'findEvent', body, sinceMs } : { call: 'findList', eventId: body.eventId };
  return { state: draft, effects: [command] };
}

/** Sends what is open as it was, whatever was edited since; the edits follow once it is known. */
const repeat = (draft: Draft, pending: Pending, nowMs: number): Next =>
  nowMs - pending.sentAtMs < KEY_LIFE_MS ? create(draft, pending) : find(draft, pending, pending.sentAtMs - CLOCK_MS);

/** What the service does not have as the page shows it, of what the step is about. */
function changeOf(draft: Draft): Command | null {
  const { step, eventId, listId, saved } = draft;
  if (step === 'event' && eventId !== null && saved.event !== null) {
    const body = eventBodyOf(draft);
    if (body === null || isSame(saved.event, body)) return null;
    return { call: 'updateEvent', eventId, body: changesOf(saved.event, body) };
  }
  if (step === 'list' && listId !== null) {
    const name = listNameOf(draft);
    return name === saved.list?.name ? null : { call: 'updateList', listId, body: { name } };
  }
  if (step !== 'organiser' || eventId === null) return null;
  const body = organiserOf(draft);
  return isSame(saved.organiser, body) ? null : { call: 'setWidgetSettings', eventId, body };
}

/** Goes on once the service has what the page shows. */
function save(draft: Draft): Next {
  const change = changeOf(draft);
  return change === null ? goOn(draft) : { state: draft, effects: [change] };
}

function submit(draft: Draft, nowMs: number): Next {
  const { step, eventId, saved, pending } = draft;
  if (pending !== null) return repeat(draft, pending, nowMs);
  if (Object.keys(faultsOf(draft, nowMs)).length > 0) return stay(draft);
  if (step !== 'event' && eventId === null) return stay({ ...draft, step: 'event' });
  if (step === 'event' && saved.event === null) {
    const body = eventBodyOf(draft);
    return body === null ? stay(draft) : create(draft, { what: 'event', body, sentAtMs: nowMs });
  }
  if (step === 'list' && eventId !== null && saved.list === null) {
    const { retainDays, isCameraOnly } = draft.list;
    const photos = isCameraOnly ? { photoSource: 'camera' as const } : {};
    const body = { name: listNameOf(draft), eventId, retainDays, ...photos };
    return create(draft, { what: 'list', body, sentAtMs: nowMs });
  }
  return save(draft);
}

function failed(draft: Draft, isRefused: boolean, code: string | null): Next {
  const { pending } = draft;
  if (!isRefused || pending === null) return stay(draft);
  // The list is there already, or the key is of another body: the answer was lost, or another tab made it.
  const isThere = code === { list: 'event-has-list', event: 'idempotency-key-reused' }[pending.what];
  return isThere ? find(draft, pending, 0) : stay({ ...draft, pending: null });
}

/** What follows on what happened: the next draft, to be stored before the command is carried out. */
export function transition(draft: Draft, happening: Happening): Next {
  switch (happening.type) {
    case 'edited': {
      const { retainDays, isCameraOnly } = draft.list;
      // These are fixed with the list.
      const fixed = draft.listId === null ? {} : { retainDays, isCameraOnly };
      return stay({
        ...draft,
        event: { ...draft.event, ...happening.event },
        list: { ...draft.list, ...happening.list, ...fixed },
        organiser: { ...draft.organiser, ...happening.organiser },
      });
    }
    case 'submitted':
      return submit(draft, happening.nowMs);
    case 'resumed':
      return draft.pending === null ? stay(draft) : repeat(draft, draft.pending, happening.nowMs);
    case 'event-saved': {
      const { eventId, body } = happening;
      const next = { ...draft, eventId, saved: { ...draft.saved, event: body }, pending: null };
      // Where what was saved is older than what the page shows, the rest is saved next.
      return next.step === 'event' && eventBodyOf(next) !== null ? save(next) : stay(next);
    }
    case 'list-saved': {
      const { listId, body } = happening;
      const list = { ...draft.list, retainDays: body.retainDays, isCameraOnly: body.photoSource === 'camera' };
      const next = { ...draft, listId, list, saved: { ...draft.saved, list: body }, pending: null };
      return next.step === 'list' ? save(next) : stay(next);
    }
    case 'organiser-saved': {
      const next = { ...draft, saved: { ...draft.saved, organiser: happening.body } };
      return next.step === 'organiser' ? goOn(next) : stay(next);
    }
    case 'not-found':
      // A new key: the former one may be of another body.
      return submit({ ...draft, draftId: `${draft.draftId}-2`, pending: null }, happening.nowMs);
    case 'failed':
      return failed(draft, happening.isRefused, happening.code);
    case 'looked':
      // An answer from before something was saved here knows nothing of it.
      return stay(happening.since === draft.saved ? looked(draft, happening.event) : draft);
    case 'replaced':
      return stay(happening.draft);
    case 'went':
      return stay(isOpen(draft, happening.step) && draft.pending === null ? { ...draft, step: happening.step } : draft);
  }
}

/** The draft of an event whose list or organiser is another by now; steps that are open again are shown again. */
function looked(draft: Draft, { listId, hasOrganiser }: { listId: string | null; hasOrganiser: boolean }): Draft {
  if (draft.pending !== null) return draft;
  const isOther = listId !== draft.listId;
  const saved = {
    event: draft.saved.event,
    list: isOther ? null : draft.saved.list,
    organiser: hasOrganiser ? draft.saved.organiser : null,
  };
  const next = { ...draft, listId: isOther ? null : draft.listId, saved };
  return isOpen(next, next.step) ? next : { ...next, step: next.listId === null ? 'list' : 'organiser' };
}

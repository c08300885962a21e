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

/** As the service takes them. */
export interface EventBody {
  readonly name: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly timeZone: string;
  readonly country?: string;
}
export interface ListBody {
  readonly name: string;
  readonly eventId: string;
  readonly retainDays: number;
  readonly photoSource?: 'camera';
}
export type OrganiserBody = OrganiserFields;

/** A creation that may or may not have happened. */
export type Pending =
  | { readonly what: 'event'; readonly body: EventBody; readonly sentAtMs: number }
  | { readonly what: 'list'; readonly body: ListBody; readonly sentAtMs: number };

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
    readonly organiser: OrganiserBody | null;
  };
  readonly pending: Pending | null;
}

export type Field = keyof EventFields | keyof OrganiserFields | 'listName' | 'retainDays';
export type FieldFault =
  | 'required'
  | 'too-long'
  | 'not-a-time'
  | 'before-start'
  | 'in-the-past'
  | 'not-https'
  | 'range';
export type Faults = Partial<Record<Field, FieldFault>>;

/** What is to be called next. Keys go with creations alone: a repeated change does no harm. */
export type Command =
  | { readonly call: 'createEvent'; readonly body: EventBody; readonly key: string }
  | { readonly call: 'updateEvent'; readonly eventId: string; readonly body: Partial<EventBody> }
  | { readonly call: 'createList'; readonly body: ListBody; readonly key: string }
  | { readonly call: 'updateList'; readonly listId: string; readonly body: { readonly name: string } }
  | { readonly call: 'setWidgetSettings'; readonly eventId: string; readonly body: OrganiserBody }
  /** Looks whether a creation of long ago happened: its key is forgotten by now. */
  | { readonly call: 'findEvent'; readonly body: EventBody; readonly sinceMs: number }
  | { readonly call: 'findList'; readonly eventId: string };

export type Happening =
  | { readonly type: 'edited'; readonly event?: Partial<EventFields> }
  | { readonly type: 'edited-list'; readonly list: Partial<ListFields> }
  | { readonly type: 'edited-organiser'; readonly organiser: Partial<OrganiserFields> }
  /** The person goes on, or the page was loaded again and something is open. */
  | { readonly type: 'submitted'; readonly nowMs: number }
  | { readonly type: 'resumed'; readonly nowMs: number }
  | { readonly type: 'event-saved'; readonly eventId: string; readonly body: EventBody }
  | { readonly type: 'list-saved'; readonly listId: string; readonly body: ListBody }
  | { readonly type: 'organiser-saved'; readonly body: OrganiserBody }
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

export const keyOf = ({ draftId }: Draft, what: Pending['what']): string => `draft-${draftId}-${what}`;

export function eventBodyOf({ event }: Pick<Draft, 'event'>): EventBody | null {
  const startsAt = toInstant(event.startsAt, event.timeZone);
  const endsAt = toInstant(event.endsAt, event.timeZone);
  if (startsAt === null || endsAt === null) return null;
  const { timeZone, country } = event;
  return { name: event.name.trim(), startsAt, endsAt, timeZone, ...(country === '' ? {} : { country }) };
}

const listBodyOf = ({ list, event }: Draft, eventId: string): ListBody => ({
  name: list.name.trim() === '' ? event.name.trim() : list.name.trim(),
  eventId,
  retainDays: list.retainDays,
  ...(list.isCameraOnly ? { photoSource: 'camera' as const } : {}),
});

const organiserBodyOf = ({ organiser }: Draft): OrganiserBody => ({
  organiserName: organiser.organiserName.trim(),
  privacyNoticeUrl: organiser.privacyNoticeUrl.trim(),
});

function textFault(text: string, isRequired: boolean): FieldFault | null {
  const trimmed = text.trim();
  if (trimmed === '') return isRequired ? 'required' : null;
  return [...trimmed].length > MAX_NAME ? 'too-long' : null;
}

export function isHttps(text: string): boolean {
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

/** What keeps a step from being submitted. */
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

const after = (step: StepName): StepName => steps[Math.min(steps.indexOf(step) + 1, steps.length - 1)] ?? step;

const stay = (draft: Draft): Step<Draft, Command> => ({ state: draft, effects: [] });
const goOn = (draft: Draft): Step<Draft, Command> => stay({ ...draft, step: after(draft.step) });

/** The members of an event that are to be changed. */
function changesOf(saved: EventBody, body: EventBody): Partial<EventBody> {
  const changed = Object.entries({ ...body, country: body.country }).filter(
    ([name, value]) => saved[name as keyof EventBody] !== value && value !== undefined,
  );
  return Object.fromEntries(changed);
}

function create(draft: Draft, pending: Pending): Step<Draft, Command> {
  const key = keyOf(draft, pending.what);
  const command: Command =
    pending.what === 'event'
      ? { call: 'createEvent', body: pending.body, key }
      : { call: 'createList', body: pending.body, key };
  return { state: { ...draft, pending }, effects: [command] };
}

/** Sends what is open as it was, whatever was edited since; the edits follow once it is known. */
function repeat(draft: Draft, pending: Pending, nowMs: number): Step<Draft, Command> {
  if (nowMs - pending.sentAtMs < KEY_LIFE_MS) return create(draft, pending);
  const command: Command =
    pending.what === 'event'
      ? { call: 'findEvent', body: pending.body, sinceMs: pending.sentAtMs - CLOCK_MS }
      : { call: 'findList', eventId: pending.body.eventId };
  return { state: draft, effects: [command] };
}

function submitEvent(draft: Draft, nowMs: number): Step<Draft, Command> {
  const body = eventBodyOf(draft);
  if (body === null) return stay(draft);
  if (draft.eventId === null || draft.saved.event === null) {
    return create(draft, { what: 'event', body, sentAtMs: nowMs });
  }
  if (isSame(draft.saved.event, body)) return goOn(draft);
  const changes = changesOf(draft.saved.event, body);
  return { state: draft, effects: [{ call: 'updateEvent', eventId: draft.eventId, body: changes }] };
}

function submitList(draft: Draft, nowMs: number): Step<Draft, Command> {
  if (draft.eventId === null) return stay({ ...draft, step: 'event' });
  const body = listBodyOf(draft, draft.eventId);
  if (draft.listId === null || draft.saved.list === null) {
    return create(draft, { what: 'list', body, sentAtMs: nowMs });
  }
  if (draft.saved.list.name === body.name) return goOn(draft);
  return { state: draft, effects: [{ call: 'updateList', listId: draft.listId, body: { name: body.name } }] };
}

function submitOrganiser(draft: Draft): Step<Draft, Command> {
  if (draft.eventId === null) return stay({ ...draft, step: 'event' });
  const body = organiserBodyOf(draft);
  if (isSame(draft.saved.organiser, body)) return goOn(draft);
  return { state: draft, effects: [{ call: 'setWidgetSettings', eventId: draft.eventId, body }] };
}

function submit(draft: Draft, nowMs: number): Step<Draft, Command> {
  if (draft.pending !== null) return repeat(draft, draft.pending, nowMs);
  if (Object.keys(faultsOf(draft, nowMs)).length > 0) return stay(draft);
  if (draft.step === 'event') return submitEvent(draft, nowMs);
  if (draft.step === 'list') return submitList(draft, nowMs);
  if (draft.step === 'organiser') return submitOrganiser(draft);
  return goOn(draft);
}

/** Where what was saved is older than what the page shows, the rest is saved next. */
function eventSaved(draft: Draft, eventId: string, body: EventBody): Step<Draft, Command> {
  const next = { ...draft, eventId, saved: { ...draft.saved, event: body }, pending: null };
  const wanted = eventBodyOf(next);
  if (wanted === null || isSame(body, wanted) || next.step !== 'event') {
    return next.step === 'event' && wanted !== null ? goOn(next) : stay(next);
  }
  return { state: next, effects: [{ call: 'updateEvent', eventId, body: changesOf(body, wanted) }] };
}

function listSaved(draft: Draft, listId: string, body: ListBody): Step<Draft, Command> {
  // These are fixed with the list; what was chosen since is taken back.
  const list = { ...draft.list, retainDays: body.retainDays, isCameraOnly: body.photoSource === 'camera' };
  const next = { ...draft, listId, list, saved: { ...draft.saved, list: body }, pending: null };
  if (next.step !== 'list') return stay(next);
  const wanted = listBodyOf(next, body.eventId);
  if (wanted.name === body.name) return goOn(next);
  return { state: next, effects: [{ call: 'updateList', listId, body: { name: wanted.name } }] };
}

function failed(draft: Draft, isRefused: boolean, code: string | null): Step<Draft, Command> {
  const { pending } = draft;
  if (!isRefused || pending === null) return stay(draft);
  // A list that is there already is the one whose answer was lost, or another tab's.
  if (pending.what === 'list' && code === 'event-has-list') {
    return { state: draft, effects: [{ call: 'findList', eventId: pending.body.eventId }] };
  }
  // The key is of another body: the event was made by another tab.
  if (pending.what === 'event' && code === 'idempotency-key-reused') {
    return { state: draft, effects: [{ call: 'findEvent', body: pending.body, sinceMs: 0 }] };
  }
  return stay({ ...draft, pending: null });
}

/** What follows on what happened: the next draft, to be stored before the command is carried out. */
export function transition(draft: Draft, happening: Happening): Step<Draft, Command> {
  switch (happening.type) {
    case 'edited':
      return stay({ ...draft, event: { ...draft.event, ...happening.event } });
    case 'edited-list':
      return stay(
        draft.listId === null
          ? { ...draft, list: { ...draft.list, ...happening.list } }
          : renamed(draft, happening.list),
      );
    case 'edited-organiser':
      return stay({ ...draft, organiser: { ...draft.organiser, ...happening.organiser } });
    case 'submitted':
      return submit(draft, happening.nowMs);
    case 'resumed':
      return draft.pending === null ? stay(draft) : repeat(draft, draft.pending, happening.nowMs);
    case 'event-saved':
      return eventSaved(draft, happening.eventId, happening.body);
    case 'list-saved':
      return listSaved(draft, happening.listId, happening.body);
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

const renamed = (draft: Draft, { name = draft.list.name }: Partial<ListFields>): Draft => ({
  ...draft,
  list: { ...draft.list, name },
});

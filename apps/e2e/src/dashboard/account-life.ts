import { createHash } from 'node:crypto';
import { createGuestPage, signInWith } from '@svc/api/testing';
import { type AddedDevice, consentVersionPublishedAt, DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/protocol';
import type { SvcClient } from '@svc/server-sdk';

/** A clock that a fixture moves forward, until it tells the time of this machine. */
export interface MovedClock {
  now(): number;
  /** Goes on from this instant; an instant in its past leaves it as it is. */
  moveTo(ms: number): void;
}

/** @param startMs not later than now */
export function createMovedClock(startMs: number): MovedClock {
  let behindMs = Math.round(Date.now() - startMs);
  const now = () => Date.now() - behindMs;
  return {
    now,
    moveTo(ms) {
      if (ms > now()) behindMs = Math.max(0, Math.round(Date.now() - ms));
    },
  };
}

/** What a guest does with the link. */
type GuestOutcome = 'enrolled' | 'declined' | 'opened' | 'unusable' | 'expired' | 'unopened';

/** Of twenty invited guests, in turn. */
const outcomes: readonly GuestOutcome[] = [
  ...['enrolled', 'enrolled', 'opened', 'enrolled', 'unopened', 'enrolled', 'enrolled', 'declined', 'enrolled'],
  ...['enrolled', 'expired', 'enrolled', 'enrolled', 'enrolled', 'unopened', 'enrolled', 'enrolled', 'unusable'],
  ...['enrolled', 'enrolled'],
] as GuestOutcome[];

/** Where the life of an account happens. */
export interface LifeStage {
  readonly client: SvcClient;
  readonly url: string;
  /** Where people sign in: the dashboard's origin. */
  readonly dashboard: { readonly url: string };
  /** That of the service. It ends at the time of this machine. */
  readonly clock: MovedClock;
  /** How many guests of the event are enrolled. */
  readonly guests: number;
  /** Guests who do something at the same time. */
  readonly atOnce: number;
  /** A photo of somebody. @param person from 0 @param nth from 0: another one for each try */
  photo(person: number, nth: number): Promise<Uint8Array>;
  /** A photo without a face. */
  readonly unusablePhoto: Uint8Array;
  /** A sync of the door of this token. The same folder is the same device. */
  sync(deviceToken: string, folder: string): Promise<void>;
  /** A receiver of webhooks that accepts them, and one that does not. */
  readonly receivers: { readonly good: string; readonly broken: string };
  say(line: string): void;
}

/** Names of what was made: the event that runs now, and the ongoing list. */
export interface LivedAccount {
  readonly eventId: string;
  readonly membersListId: string;
}

/** Ids as ticket shops give them: nobody guesses them, and a run makes the same ones. */
const idOf = (kind: string, index: number): string => {
  const digest = createHash('sha256').update(`${kind} ${index}`).digest();
  return `${kind}-${[...digest.subarray(0, 16)].map((byte) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[byte % 32]).join('')}`;
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** The beginning of the week: no consent can be older than its wording. */
export function lifeBegin(): number {
  return Math.max(Date.now() - 7 * DAY_MS, Date.parse(consentVersionPublishedAt['eu-v2']) + HOUR_MS);
}

/**
 * A week in an account of Germany, by the API alone: an event that runs now with guests who were invited, three doors,
 * an ongoing list of members, an event that is over and one to come, withdrawals, webhooks and a second API key.
 */
export async function live(stage: LifeStage): Promise<LivedAccount> {
  const { client, clock, say } = stage;
  const nowMs = Date.now();
  const weekMs = nowMs - clock.now();
  /** @param share of the week that has passed, from 0 to 1 */
  const at = (share: number) => nowMs - weekMs * (1 - share);

  const { eventId } = await client.createEvent({
    name: 'Harbour Lights Festival',
    startsAt: isoOf(nowMs - 3 * HOUR_MS),
    endsAt: isoOf(nowMs + 30 * HOUR_MS),
    country: 'DE',
  });
  const organiser = {
    organiserName: 'Riverside Hall',
    privacyNoticeUrl: 'https://riverside-hall.example/privacy/face-check-in',
  };
  const brand = {
    accent: '#0b6e6e',
    radius: 12,
    heading: { en: 'Walk in with a smile', de: 'Mit einem Lächeln rein' },
  };
  await client.setWidgetSettings(eventId, { ...organiser, brand });
  const { listId } = await client.createList({ name: 'Festival guests', eventId, retainDays: 1, reEntry: 'warn' });
  const members = await client.createList({ name: 'Members of the hall', ongoing: true, country: 'DE' });
  await client.createWebhook({ url: stage.receivers.good });
  await client.createWebhook({ url: stage.receivers.broken, eventTypes: ['device.revoked', 'person.deleted'] });

  await haveMembers(stage, members.listId, at);
  const { main, north } = await haveDoors(stage, listId, members.listId);
  await haveColleagues(stage, eventId, listId);
  const enrolled = await haveGuests(stage, eventId, at, () => stage.sync(main.token, 'main-entrance'));
  await haveWithdrawals(stage, listId, enrolled);

  clock.moveTo(nowMs - 9 * HOUR_MS);
  await stage.sync(north.token, 'north-gate');
  await haveOtherEvents(stage, organiser, nowMs);
  clock.moveTo(Date.now() - MINUTE_MS);
  await stage.sync(main.token, 'main-entrance');
  clock.moveTo(Date.now());
  say('a week has passed');
  return { eventId, membersListId: members.listId };
}

/** People with consent on file: twenty, or fewer in a small account. */
async function haveMembers(stage: LifeStage, listId: string, at: (share: number) => number): Promise<void> {
  const count = Math.min(20, Math.ceil(stage.guests / 3));
  for (let i = 0; i < count; i += 1) {
    stage.clock.moveTo(at((0.3 * i) / count));
    await stage.client.enrolPerson(listId, {
      personId: idOf('M', i),
      image: await stage.photo(stage.guests + i, 0),
      consent: {
        consentVersion: 'eu-v2',
        givenAt: isoOf(stage.clock.now() - MINUTE_MS),
        explicitBiometricConsent: true,
        writtenRelease: true,
      },
    });
  }
  stage.say(`${count} members enrolled`);
}

/** Of the event: synced lately, synced long ago, never synced. */
async function haveDoors({ client, clock, sync }: LifeStage, listId: string, membersListId: string) {
  const main = await client.addDevice(listId, { name: 'Main entrance' });
  const north = await client.addDevice(listId, { name: 'North gate' });
  await client.addDevice(listId, { name: 'Artists’ entrance' });
  const office = await client.addDevice(membersListId, { name: 'Office door' });
  clock.moveTo(clock.now() + MINUTE_MS);
  await sync(office.token, 'office-door');
  const lost = await client.addDevice(membersListId, { name: 'Old tablet' });
  await client.revokeDevice(membersListId, lost.id);
  return { main, north };
}

/** A manager and somebody at the doors, who work, and two who have not signed in yet. */
async function haveColleagues(stage: LifeStage, eventId: string, listId: string): Promise<void> {
  const invite = async (name: string, role: 'manager' | 'door' | 'auditor' | 'owner') => {
    const email = `${name.toLowerCase().replace(' ', '.')}@riverside-hall.example`;
    const { invitationUrl } = await stage.client.inviteUser({ name, email, role });
    if (invitationUrl === null) throw new Error('the deployment sends mail');
    return invitationUrl;
  };
  const manager = await signInWith(stage.dashboard, await invite('Mina Okafor', 'manager'));
  await manager.request('PATCH', `/v1/events/${eventId}`, { name: 'Harbour Lights Festival' });
  await manager.request('PATCH', `/v1/lists/${listId}`, { headTurnAlternative: 'staff' });
  const devices = `/v1/lists/${listId}/devices`;
  const door = await signInWith(stage.dashboard, await invite('Jonas Weber', 'door'));
  const { body: spare } = await door.request<AddedDevice>('POST', devices, { name: 'Spare' });
  await door.request('PATCH', `${devices}/${spare.id}`, { name: 'Spare tablet' });
  await door.request('DELETE', `${devices}/${spare.id}`);
  await invite('Ana Ruiz', 'auditor');
  await invite('Lena Vogt', 'owner');
  stage.say('colleagues invited');
}

/** Invites in two batches, and lets the guests act over the week. @returns who is enrolled */
async function haveGuests(
  stage: LifeStage,
  eventId: string,
  at: (share: number) => number,
  syncDoor: () => Promise<void>,
): Promise<readonly string[]> {
  const { client, clock, say } = stage;
  const guests: { readonly ticketId: string; readonly outcome: GuestOutcome; readonly index: number }[] = [];
  for (let index = 0, left = stage.guests; left > 0; index += 1) {
    const outcome = outcomes[index % outcomes.length] ?? 'enrolled';
    guests.push({ ticketId: idOf('T', index), outcome, index });
    if (outcome === 'enrolled') left -= 1;
  }
  const half = Math.ceil(guests.length * 0.6);
  const enrolled: string[] = [];
  const refused: string[] = [];
  for (const [invited, from, to] of [
    [guests.slice(0, half), 0.32, 0.6],
    [guests.slice(half), 0.6, 0.97],
  ] as const) {
    clock.moveTo(at(from));
    const links = new Map<string, string>();
    for (const [isShort, validForHours] of [
      [true, 1],
      [false, 240],
    ] as const) {
      const ticketIds = invited.filter(({ outcome }) => (outcome === 'expired') === isShort).map((one) => one.ticketId);
      if (ticketIds.length === 0) continue;
      const { items } = await client.createEnrolmentTokenBatch(eventId, { ticketIds, validForHours });
      for (const { ticketId, url: link } of items) links.set(ticketId, link);
    }
    for (let first = 0; first < invited.length; first += stage.atOnce) {
      // Many answer at once, and fewer every hour.
      clock.moveTo(at(from + (to - from) * (first / invited.length) ** 2) + MINUTE_MS);
      await Promise.all(
        invited.slice(first, first + stage.atOnce).map(async ({ ticketId, outcome, index }) => {
          const refusal = await act(links.get(ticketId) ?? '', outcome, stage, index);
          if (outcome === 'enrolled') (refusal === null ? enrolled : refused).push(refusal ?? ticketId);
        }),
      );
    }
    await syncDoor();
    say(`${enrolled.length} of ${stage.guests} guests enrolled`);
    if (refused.length > 0)
      say(`left out: ${refused.length} whose photos were refused: ${[...new Set(refused)].join(', ')}`);
  }
  return enrolled;
}

/** Of a link. */
const ATTEMPTS = 5;

/** @returns why the last photo was refused; null after an enrolment, or without a photo */
async function act(link: string, outcome: GuestOutcome, stage: LifeStage, index: number): Promise<string | null> {
  if (outcome === 'unopened' || outcome === 'expired') return null;
  const page = createGuestPage(stage, new URL(link).hash.slice(1));
  await page.open();
  if (outcome === 'declined') await page.decline();
  if (outcome !== 'enrolled' && outcome !== 'unusable') return null;
  let refusal: string | null = null;
  for (let nth = 0; nth < ATTEMPTS; nth += 1) {
    const photo = outcome === 'enrolled' ? await stage.photo(index, nth) : stage.unusablePhoto;
    const { status, body } = await page.enrol({ body: { imageBase64: Buffer.from(photo).toString('base64') } });
    if (status === 201) return null;
    refusal = String((body as { code?: string } | null)?.code ?? status);
  }
  return refusal;
}

async function haveWithdrawals({ client, say }: LifeStage, listId: string, enrolled: readonly string[]): Promise<void> {
  const gone = enrolled.slice(0, Math.min(8, Math.floor(enrolled.length / 5)));
  for (const [i, personId] of gone.entries())
    await client.deletePerson(listId, personId, i % 3 === 2 ? {} : { reason: 'consent-withdrawn' });
  say(`${gone.length} people withdrew or were erased`);
}

/** One that is over and one to come. */
async function haveOtherEvents(
  { client, clock }: LifeStage,
  organiser: { readonly organiserName: string; readonly privacyNoticeUrl: string },
  nowMs: number,
): Promise<void> {
  const event = async (name: string, from: number, to: number) => {
    const times = { startsAt: isoOf(nowMs + from * HOUR_MS), endsAt: isoOf(nowMs + to * HOUR_MS) };
    const { eventId } = await client.createEvent({ name, ...times, country: 'DE' });
    await client.setWidgetSettings(eventId, organiser);
    return eventId;
  };
  const over = await event('Opening reception', -8, -4);
  await client.createList({ name: 'Reception guests', eventId: over, retainDays: 3 });
  const next = await event('Winter Ball', 480, 504);
  const { listId } = await client.createList({ name: 'Ball guests', eventId: next });
  const ticketIds = Array.from({ length: 24 }, (_, i) => idOf('B', i));
  await client.createEnrolmentTokenBatch(next, { ticketIds, validForHours: 336 });
  await client.updateList(listId, { headTurnAlternative: 'staff' });
  await client.createApiKey({
    name: 'Ticket shop',
    scopes: ['events:read', 'people:write', 'people:read'],
    expiresAt: isoOf(nowMs + 90 * DAY_MS),
  });
  clock.moveTo(clock.now() + MINUTE_MS);
}

import { FRESH_MS, HOUR_MS } from '../limits.ts';
import type { Endpoints, OrganiserOperationId, PersonOperationId } from './endpoints.ts';
import type { UserRole } from './roles.ts';

type OfPeople = OrganiserOperationId | PersonOperationId;
/** What a person changes with a session. */
type Change = {
  [Id in OfPeople]: Endpoints[Id] extends { readonly method: 'get' } | { readonly security: 'none' } ? never : Id;
}[OfPeople];

/**
 * True: always. Names of fields: where the body has one of them, but for null and false, which take something away.
 * `replacing`: where a face that is enrolled could be replaced; the operation's service asks.
 */
export type Fresh = true | 'replacing' | readonly string[];

/**
 * Changes for which a person must have signed in, or confirmed it, within the last minutes: a session that was left
 * open, or stolen, is not enough for what nothing brings back, for lasting access of others, for a lasting secret, and
 * for the address that data goes to.
 */
export const freshChanges = {
  ...{ closeEnrollment: true, endList: true, deleteList: true, deleteEvent: true },
  ...{ deletePerson: true, deletePersonByQuery: true, erasePeople: true },
  // An earlier end deletes faces earlier.
  updateEvent: ['endsAt'],
  ...{ createApiKey: true, inviteUser: true, updateUser: true, removeUser: true, renewInvitation: true },
  ...{ addDevice: true, updateAccount: true, beginPasskeyCreation: true, deletePasskey: true },
  ...{ createWebhook: true, rotateWebhookSecret: true, rotateCheckInSecret: true },
  ...{ updateWebhook: ['url', 'enabled', 'eventTypes'], createList: ['checkInUrl'], updateList: ['checkInUrl'] },
  ...{ createMailing: ['replyTo', 'texts'], createMailingReminder: ['replyTo', 'texts'] },
  // Its links are for people who are enrolled.
  createEnrolmentLinks: true,
  ...{ enrolPerson: 'replacing', putPerson: 'replacing', enrolPeople: 'replacing' },
  ...{ createEnrolmentToken: 'replacing', createEnrolmentTokenBatch: 'replacing' },
} as const satisfies { readonly [Id in Change]?: Fresh };

const LESS = 'takes rights away, which has to be quick';
const CONFIRMED = 'sends to an address that was confirmed';

/** All other changes: the operation that takes them back, or the reason why an old session is enough. */
export const agedChanges = {
  ...{ createEvent: 'deleteEvent', changeModel: 'changeModel', updateDevice: 'updateDevice', undoEndList: 'endList' },
  ...{ updatePerson: 'updatePerson', updateApiKey: 'updateApiKey', copyEvent: 'deleteEvent' },
  ...{ cancelMailing: LESS, revokeEnrolmentToken: LESS },
  ...{ revokeDevice: LESS, revokeApiKey: LESS, revokeUserSessions: LESS, revokeOwnSession: LESS, signOut: LESS },
  ...{ deleteWebhook: LESS, testWebhook: CONFIRMED, replayWebhookDelivery: CONFIRMED, updateOwnUser: 'updateOwnUser' },
  replaceWidgetSettings: 'setWidgetSettings',
  setWidgetSettings: 'guests read a notice at the address; no data goes there',
  lookUpPeople: 'changes nothing',
  pullWebhookEvents: 'only of a webhook that was created, with a fresh session, to be fetched',
  createWidgetPreview: 'its token enrols nobody',
  ...{ beginReauthentication: 'makes a session fresh', reauthenticate: 'makes a session fresh' },
  addPasskey: 'answers a challenge that a fresh session was given minutes ago',
} as const satisfies Readonly<Record<Exclude<Change, keyof typeof freshChanges>, string>>;

/** Roles that may do something for longer: people at the doors pair kiosks all evening, and have no wider right. */
const LONGER_MS: { readonly [Role in UserRole]?: { readonly [Id in Change]?: number } } = {
  door: { addDevice: HOUR_MS },
};

/** How long after a sign-in, or its confirmation, a role may carry out what needs a fresh one, in ms. */
export const freshMsOf = (operationId: string, role: UserRole): number =>
  LONGER_MS[role]?.[operationId as Change] ?? FRESH_MS;

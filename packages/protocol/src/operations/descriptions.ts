import type * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Endpoint, Endpoints, OperationId } from './endpoints.ts';

/** A JSON body. */
interface RequestBody {
  readonly schema: z.ZodType;
  /** False: a missing body is read as `{}`. */
  readonly required?: false;
  /** Largest body, where it is not `MAX_JSON_BODY_BYTES`. A body with photos has its own limit. */
  readonly limitBytes?: number;
  /** Most values in the body at all depths, where it has more than 500. */
  readonly maxValues?: number;
  /**
   * The body contains photos, which are parsed separately (`isPhotoPointer`); it may be a form too, whose part of this
   * name is the JSON without them.
   */
  readonly photos?: 'person' | 'people';
  /** What of the schema is validated before the handler, which validates each item by itself; default: all. */
  readonly envelope?: z.ZodType;
  readonly example?: unknown;
}

/** The answer of a successful request. */
export interface Success {
  /** Default 200. */
  readonly status?: 200 | 201 | 202 | 204 | 303;
  readonly description: string;
  /** When the answer is 201 instead, with a `Location`. */
  readonly created?: string;
  /** Schema of the JSON body, or of each item of a page. */
  readonly schema?: z.ZodType;
  /** Media type of a body other than JSON. */
  readonly mediaType?: string;
  /** Schema of a part of such a body: one line of NDJSON, or the manifest of a sync. */
  readonly part?: z.ZodType;
  /** Further media types of the same answer, selected by `Accept`. */
  readonly alternatives?: readonly { readonly mediaType: string; readonly part?: z.ZodType }[];
  /** Example for `schema`. */
  readonly example?: unknown;
  /** Description of each header. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation without its {@link Endpoint}. */
export interface Description {
  readonly summary: string;
  /** Effects, limits and exceptions that the summary does not mention. */
  readonly description: string;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly request?: RequestBody;
  readonly success: Success;
  /** Error codes in addition to those that follow from security, method and input. */
  readonly errors?: readonly ErrorCode[];
  /** Its name in the audit log. */
  readonly audit?: string;
}

type Taken<E extends Endpoint> = E extends { readonly takes: 'body' }
  ? { readonly request: RequestBody; readonly query?: never }
  : E extends { readonly takes: 'query' | 'page' }
    ? { readonly request?: never; readonly query: z.ZodObject }
    : { readonly request?: never; readonly query?: never };

/** Descriptions of some operations, each with the inputs that its endpoint declares. */
export type Descriptions = { readonly [Id in OperationId]?: Description & Taken<Endpoints[Id]> };

/** Chapters of the reference with their descriptions, in order. */
export const tagDescriptions = {
  Events: 'What guests come to: a name, a time and a country. Lists, enrolment tokens and widget settings hang on it.',
  'Enrolment tokens':
    'One guest, one ticket, once: what the widget or a guest link carries. Made by the organiser’s server.',
  Mailings:
    'Guest links by mail: to many guests at once, each in the guest’s language, with reminders. Needs a mail server of the deployment.',
  Widget: 'What the page in the guest’s browser calls, with the guest’s enrolment token.',
  Lists: 'Who may be checked in by face. A list belongs to an event or is ongoing, and has devices of its own.',
  People: 'Enrolment from the organiser’s server, and what can be known and erased of a person. Never any face data.',
  Consents: 'The ledger: who consented to which wording, when, and until when. It outlives faces and lists.',
  Devices: 'Check-in devices of a list: add, see, revoke.',
  'Device sync': 'What a device’s SDK calls, with the device’s token.',
  Usage: 'The account, people on the bill, what the plan allows, and who did what to the account.',
  'API keys':
    'Keys of the organiser’s servers: their rights, their end, their last use. A key can be created with its creator’s rights at most.',
  Users: 'The people of the organiser who use the dashboard: their roles, their invitations, their end.',
  Session:
    'Signing in to the dashboard, and what a signed-in person does with its own session. A browser’s matter: an API key is not taken here.',
  Live: 'A stream that tells a page what to read again.',
  Webhooks: 'Notifications to the organiser’s server, signed by the Standard Webhooks scheme.',
  Service: 'The document itself, and what a balancer asks.',
} as const;

export type TagName = keyof typeof tagDescriptions;

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
  Events: 'An event has a name, a start and an end. It can have a list, enrolment tokens and widget settings.',
  'Enrolment tokens':
    'A token lets one guest enrol for one ticket, once. Your server creates it, for a page with the widget or as a guest link.',
  Mailings:
    'Send guest links by email to many guests at once, each in the guest’s language, and remind them. The deployment needs a mail server.',
  Widget: 'Operations for the page in the guest’s browser. It sends the guest’s enrolment token.',
  Lists: 'The people who can check in by face. A list belongs to an event or is ongoing, and has its own devices.',
  People: 'Enrol people from your server, read what is stored of them, and erase them. No response contains face data.',
  Consents: 'The ledger: who consented to which wording, when and until when. It outlives faces and lists.',
  Devices: 'Add, read and revoke the check-in devices of a list.',
  'Device sync': 'Operations for the SDK on a check-in device. It sends the device’s token.',
  Usage: 'The account, the people billed and the plan’s limit, notices, and the audit log.',
  'API keys': 'Keys for your servers. A key never has more rights than the key or person that created it.',
  Users: 'The people who use your account’s dashboard: invite them, change their roles, remove them.',
  Session:
    'Sign in to the dashboard and manage your own sessions and passkeys. For browsers: API keys are not accepted here.',
  Live: 'A stream that tells a page what to fetch again.',
  Webhooks: 'Notifications to your server, signed according to Standard Webhooks.',
  Service: 'This document, and the checks for load balancers.',
} as const;

export type TagName = keyof typeof tagDescriptions;

import type { ErrorCode } from '../errors.ts';
import type { ComponentName } from './components.ts';
import type { TagName } from './tags.ts';

/** The credential that an operation asks for. */
export type Security = 'apiKey' | 'guestToken' | 'deviceToken' | 'none';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: object;
}

export interface Success {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Of a JSON body. */
  readonly schema?: ComponentName;
  /** Of a body that is no JSON of a component. */
  readonly mediaType?: string;
  /** What a body that is no JSON is made of: one line of NDJSON, the manifest of a sync. */
  readonly part?: ComponentName;
  /** Other media types of the same answer, which the caller asks for with `Accept`. */
  readonly alternatives?: readonly { readonly mediaType: string; readonly part?: ComponentName }[];
  readonly example?: unknown;
  /** Header → what it says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One method of one path, as the reference tells of it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly tag: TagName;
  readonly summary: string;
  /** What the summary leaves open: effects, limits, what stays. */
  readonly description: string;
  readonly security: Security;
  readonly parameters?: readonly Parameter[];
  readonly request?: { readonly schema: ComponentName; readonly required: boolean; readonly example?: unknown };
  readonly success: Success;
  /** Codes besides those that every operation of its security may answer. */
  readonly errors: readonly ErrorCode[];
}

/** A parameter of the path. */
export const pathId = (name: string, what: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: what,
  schema: { type: 'string' },
});
/** An identifier as it looks in examples. */
export const exampleId = (prefix: string): string => `${prefix}_01jwnafy00e2rbg3vfk4s6q9tz`;
/** A recognition model as it looks in examples: the one that every deployment has. */
export const exampleModelId = 'mdl_01kdvdna00f3ab0bctdvgzftew';
export const eventId = pathId('eventId', 'identifier of the event');
export const tokenId = pathId('tokenId', 'identifier of the enrolment token');
export const listId = pathId('listId', 'identifier of the list');
export const personId = pathId('personId', 'the caller’s own identifier of the person, percent-encoded');
export const deviceId = pathId('deviceId', 'identifier of the device');

/** The parameters of a collection. */
export const page: readonly Parameter[] = [
  {
    name: 'cursor',
    in: 'query',
    required: false,
    description: '`nextCursor` of the page before',
    schema: { type: 'string' },
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'items in a page',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
];

/** What an operation with the parameters of a collection may answer to them. */
export const PAGE = ['invalid-request'] as const;

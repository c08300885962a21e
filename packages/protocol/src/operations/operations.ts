import * as z from 'zod';
import { collectionSchema, componentName, type PathParameter, pathParameters, responseSchemas } from '../common.ts';
import type { ErrorCode } from '../errors.ts';
import { apiKeyOperations } from './api-keys.ts';
import { arrivalOperations, reportOperations } from './arrivals.ts';
import { auditOperations } from './audit.ts';
import { consentOperations } from './consents.ts';
import type { Description, Descriptions, Success, TagName } from './descriptions.ts';
import { syncOperations } from './device-sync.ts';
import { deviceOperations } from './devices.ts';
import {
  type Endpoint,
  type Endpoints,
  type OperationId,
  type OrganiserOperationId,
  organiserEndpoints,
  otherEndpoints,
  type PersonOperationId,
  personEndpoints,
} from './endpoints.ts';
import { eventOperations } from './events.ts';
import { type Fresh, freshChanges } from './fresh.ts';
import { listOperations } from './lists.ts';
import { EVENT_STREAM_MEDIA_TYPE, liveOperations } from './live.ts';
import { mailingOperations } from './mailings.ts';
import { noticeOperations } from './notices.ts';
import { personOperations } from './people.ts';
import { peopleAtOnceOperations } from './people-at-once.ts';
import { serviceOperations } from './service.ts';
import { sessionOperations } from './sessions.ts';
import { tokenOperations } from './tokens.ts';
import { usageOperations } from './usage.ts';
import { userOperations } from './users.ts';
import { webhookOperations } from './webhooks.ts';
import { widgetOperations } from './widget.ts';
import { wordingOperations } from './wording.ts';

/** A path parameter, query parameter or header. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  /** JSON Schema */
  readonly schema: object;
  /** Of an object in a query, such as `metadata[key]=value`. */
  readonly style?: 'deepObject';
}

/** One method of one path: mounted by the server, validated, documented and called by clients. */
export interface Operation extends Endpoint, Omit<Description, 'success'> {
  readonly operationId: OperationId;
  readonly tag: TagName;
  /** When a person must have signed in, or confirmed it, within the last minutes; absent: never. */
  readonly fresh?: Fresh;
  readonly parameters: readonly Parameter[];
  /** With the schema and the example of the whole body (a page for a collection). */
  readonly success: Success & Required<Pick<Success, 'status'>>;
  readonly errors: readonly ErrorCode[];
}

const describeAll = () =>
  ({
    Events: eventOperations,
    'Enrolment tokens': tokenOperations,
    Mailings: mailingOperations,
    Widget: widgetOperations,
    Lists: { ...listOperations, ...arrivalOperations },
    People: { ...personOperations, ...peopleAtOnceOperations },
    Consents: { ...consentOperations, ...wordingOperations },
    Devices: deviceOperations,
    'Device sync': { ...syncOperations, ...reportOperations },
    Usage: { ...usageOperations, ...noticeOperations, ...auditOperations },
    'API keys': apiKeyOperations,
    Users: userOperations,
    Session: sessionOperations,
    Live: liveOperations,
    Webhooks: webhookOperations,
    Service: serviceOperations,
  }) satisfies Readonly<Record<TagName, Descriptions>>;

type Chapters = ReturnType<typeof describeAll>;
type DescriptionOf<Id extends OperationId> = {
  [Tag in TagName]: Id extends keyof Chapters[Tag] ? Chapters[Tag][Id] : never;
}[TagName];

/** The operations, each with its own schema types. */
export type OperationTable = { readonly [Id in OperationId]: Endpoints[Id] & DescriptionOf<Id> };

/** Names of the parameters in a path. */
export type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;

/** Path parameters as strings. */
export type PathParameters<Path> = {
  readonly [Name in PathNames<Path> & keyof typeof pathParameters]: z.output<(typeof pathParameters)[Name]>;
};

/** Names of the audited operations. */
export type OperationAudit = Extract<OperationTable[OperationId], { readonly audit: string }>['audit'];

type BodyOf<T> = T extends {
  readonly request: { readonly schema: infer S extends z.ZodType; readonly required: false };
}
  ? z.input<S> | undefined
  : T extends { readonly request: { readonly schema: infer S extends z.ZodType } }
    ? z.input<S>
    : never;

/** Query parameters of a schema, as values. */
type QueryOf<T> = T extends { readonly query: infer S extends z.ZodObject }
  ? {
      readonly [Name in keyof z.input<S>]:
        | (Name extends keyof z.output<S> ? z.output<S>[Name] : never)
        | Extract<z.input<S>[Name], undefined>;
    }
  : never;

/** JSON type of an operation's answer; undefined when it has none. */
export type AnswerOf<T> = T extends { readonly success: { readonly schema: infer S extends z.ZodType } }
  ? T extends { readonly takes: 'page' }
    ? z.output<ReturnType<typeof collectionSchema<S>>>
    : z.output<S>
  : undefined;

type OperationTypes<Ids extends OperationId> = {
  readonly [Id in Ids]: {
    readonly method: Endpoints[Id]['method'];
    readonly path: Endpoints[Id]['path'];
    readonly body: BodyOf<OperationTable[Id]>;
    readonly query: QueryOf<OperationTable[Id]>;
    readonly answer: AnswerOf<OperationTable[Id]>;
  };
};

/** Request and answer types of the organiser's operations. */
export type OrganiserOperationTypes = OperationTypes<OrganiserOperationId>;
/** Request and answer types of what a person in the dashboard does with its own session. */
export type PersonOperationTypes = OperationTypes<PersonOperationId>;

function parametersIn(where: Parameter['in'], schema: z.ZodObject | undefined): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'throw',
    // A number in a query is a string in its own schema; type and default are documented separately.
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.type !== 'integer') return;
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
    },
  });
  return Object.entries(properties).map(([name, property]) => {
    const { description = '', ...schema } = property as { readonly type?: string; readonly description?: string };
    const style = schema.type === 'object' ? ({ style: 'deepObject', explode: true } as const) : {};
    return { name, in: where, required: required.includes(name), description, schema, ...style };
  });
}

/** Parameter names in a path. */
export const pathNames = (path: string): PathParameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathParameter);

/** The whole answer; for a collection a page. */
function wholeSuccess({ status = 200, schema, example, ...rest }: Success, isPage: boolean): Operation['success'] {
  if (schema === undefined) return { ...rest, status };
  if (!isPage) return { ...rest, status, schema, example };
  const page = collectionSchema(schema).register(responseSchemas, { id: `${componentName(schema)}Collection` });
  return { ...rest, status, schema: page, example: { items: [example], nextCursor: null } };
}

function buildOperation(tag: TagName, operationId: OperationId, description: Description): Operation {
  const others: Readonly<Record<string, Endpoint>> = { ...personEndpoints, ...otherEndpoints };
  const endpoint: Endpoint = others[operationId] ?? {
    ...organiserEndpoints[operationId as OrganiserOperationId],
    security: 'apiKey',
  };
  const fresh = (freshChanges as { readonly [Id in OperationId]?: Fresh })[operationId];
  const known: Readonly<Record<string, z.ZodType>> = pathParameters;
  const inPath = Object.fromEntries(pathNames(endpoint.path).map((name) => [name, known[name] ?? z.never()]));
  return {
    ...{ operationId, tag, errors: [] },
    ...endpoint,
    ...description,
    ...(fresh === undefined ? {} : { fresh }),
    success: wholeSuccess(description.success, endpoint.takes === 'page'),
    parameters: [
      ...parametersIn('path', z.object(inPath)),
      ...parametersIn('query', description.query),
      ...parametersIn('header', description.headers),
    ],
  };
}

const buildOperations = () =>
  Object.entries(describeAll()).flatMap(([tag, descriptions]) =>
    Object.entries<Description>(descriptions).map(([operationId, description]) =>
      buildOperation(tag as TagName, operationId as OperationId, description),
    ),
  );

/** Whether the answer goes on until the caller or the service ends it. */
export const isStream = ({ success }: Pick<Operation, 'success'>): boolean =>
  success.mediaType === EVENT_STREAM_MEDIA_TYPE;

/** Every operation of the API, in reference order. */
export const operations: readonly Operation[] = /* @__PURE__ */ buildOperations();

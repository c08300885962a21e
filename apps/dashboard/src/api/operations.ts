import type { OrganiserOperationTypes, PersonOperationTypes } from '@svc/protocol';
import { type Address, organiserEndpoints, personEndpoints } from '@svc/protocol/endpoints';

/** Path, body, query and answer of every operation that the dashboard may call. */
export type OperationTypes = OrganiserOperationTypes & PersonOperationTypes;
export type OperationId = keyof OperationTypes;
export type AnswerOf<Id extends OperationId> = OperationTypes[Id]['answer'];
/** The signed-in person, the account, and what the deployment offers. */
export type Session = AnswerOf<'getSession'>;
export type ItemOf<Id extends OperationId> =
  AnswerOf<Id> extends { readonly items: readonly (infer Item)[] } ? Item : never;
export type CollectionId = {
  [Id in OperationId]: AnswerOf<Id> extends { readonly items: readonly unknown[]; readonly nextCursor: string | null }
    ? Id
    : never;
}[OperationId];

type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;
type InPath<Path> = [PathNames<Path>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: { readonly [Name in PathNames<Path> & string]: string } };
type InQuery<Query> = [Query] extends [never]
  ? { readonly query?: undefined }
  : Partial<Query> extends Query
    ? { readonly query?: Query | undefined }
    : { readonly query: Query };
type InBody<Body> = [Body] extends [never]
  ? { readonly body?: undefined }
  : undefined extends Body
    ? { readonly body?: Body }
    : { readonly body: Body | (Body extends { readonly imageBase64: string } ? FormData : never) };

/** What an operation takes: path parameters, query, body; of an enrolment also as a form, with the photo as bytes. */
export type InputOf<Id extends OperationId> = InPath<OperationTypes[Id]['path']> &
  InQuery<OperationTypes[Id]['query']> &
  InBody<OperationTypes[Id]['body']>;

/** An argument that may be left out where everything in it may. */
export type Given<Input, Rest = unknown> =
  Partial<Input> extends Input ? [input?: Input & Partial<Rest>] : [input: Input & Partial<Rest>];

export const endpoints: Readonly<Record<OperationId, Address>> = { ...organiserEndpoints, ...personEndpoints };

/** The resource of an operation's path: `people` of `/v1/lists/{listId}/people/{personId}`, for invalidation. */
export const resourceOf = (id: OperationId): string => endpoints[id].path.split('/')[2] ?? '';

/** Key of a read in the cache: resource, operation, input. */
export const readKey = (id: OperationId, input: object = {}) => [resourceOf(id), id, input] as const;

/**
 * An operation's path with its parameters percent-encoded.
 * @throws TypeError for a parameter that a URL cannot carry
 */
export function pathOf(id: OperationId, params: Readonly<Record<string, string>> = {}): string {
  return endpoints[id].path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`no ${name} in the path of ${id}`);
    return encodeURIComponent(value);
  });
}

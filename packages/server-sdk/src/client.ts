import type {
  ConsentLedgerLine,
  ConsentVersion,
  EnrolledPeople,
  EnrolledPerson,
  OrganiserOperationTypes,
} from '@svc/protocol';
import { type Address, organiserEndpoints } from '@svc/protocol/endpoints';
import { type ConsentFilter, readLedger } from './consent-export.ts';
import { type NewPerson, toEnrolPersonRequest, toForm, withoutPhotos } from './enrolment.ts';
import { isSvcApiError } from './errors.ts';
import {
  type CallOptions,
  createHttp,
  type Http,
  type Platform,
  type PostOptions,
  pathOf,
  type SvcClientOptions,
  systemPlatform,
} from './http.ts';
import type { Collection } from './pages.ts';

/** Path parameters as arguments. */
interface PathArguments {
  readonly eventId: [eventId: string];
  readonly tokenId: [tokenId: string];
  readonly listId: [listId: string];
  readonly personId: [personId: string];
  readonly deviceId: [deviceId: string];
  readonly keyId: [keyId: string];
  readonly userId: [userId: string];
  readonly webhookId: [webhookId: string];
  readonly deliveryId: [deliveryId: string];
  readonly mailingId: [mailingId: string];
  readonly consentVersion: [consentVersion: ConsentVersion];
}

type InPath<Path> = Path extends `${string}{${infer Name extends keyof PathArguments}}${infer Rest}`
  ? [...PathArguments[Name], ...InPath<Rest>]
  : [];

type InBody<Body> = [Body] extends [never] ? [] : undefined extends Body ? [body?: Body] : [body: Body];

type InQuery<Query> = [Query] extends [never] ? [] : Partial<Query> extends Query ? [query?: Query] : [query: Query];

type Answered<T> = T extends { readonly items: readonly (infer Item)[]; readonly nextCursor: unknown }
  ? Collection<Item>
  : Promise<T extends undefined ? void : T>;

interface OperationType {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly query: unknown;
  readonly answer: unknown;
}

/** Path parameters, then the body or the query, then call options. */
type Method<O extends OperationType> = (
  ...given: [
    ...InPath<O['path']>,
    ...InBody<O['body']>,
    ...InQuery<O['query']>,
    options?: O['method'] extends 'post' ? PostOptions : CallOptions,
  ]
) => Answered<O['answer']>;

type Methods = { readonly [Id in keyof OrganiserOperationTypes]: Method<OrganiserOperationTypes[Id]> };

/** Those with photos, which are sent as bytes; to a service that takes none, or where they are base64, as JSON. */
type Enrolling = 'enrolPerson' | 'putPerson' | 'enrolPeople';

/** The organiser's operations as methods, named as in the API. */
export interface SvcClient extends Omit<Methods, Enrolling> {
  /** Enrols a person, or replaces the face of one. The image bytes stay the caller's: wipe them afterwards. */
  enrolPerson(listId: string, person: NewPerson, options?: PostOptions): Promise<EnrolledPerson>;
  /** The same; `onAnswer` is told status 201 for somebody new, 200 where a face was replaced. */
  putPerson(
    listId: string,
    personId: string,
    person: Omit<NewPerson, 'personId'>,
    options?: PostOptions,
  ): Promise<EnrolledPerson>;
  /**
   * Enrols up to a hundred people, whose photos have up to 64 MiB together. Each has its own status and problem. Send
   * those who are refused for the time being (429, 503) again with the same `idempotencyKey`, alone or with others.
   */
  enrolPeople(listId: string, people: readonly NewPerson[], options?: PostOptions): Promise<EnrolledPeople>;
  /**
   * Streams the whole ledger line by line, as `svc consents verify` reads it. The duration is unlimited: `timeoutMs`
   * applies to each wait for more data.
   * @throws SvcConnectionError `unrecognised-answer` when it is incomplete (without its last line) or not the
   * service's; `connection-failed` or `timed-out` within it. An export cannot be resumed: start again.
   */
  exportConsents(query?: ConsentFilter, options?: CallOptions): AsyncGenerator<ConsentLedgerLine, void, undefined>;
}

function methodOf(http: Http, { method, path, takes, keyed }: Address) {
  const count = path.split('{').length - 1;
  return (...given: unknown[]) => {
    const target = pathOf(path, given.slice(0, count));
    const [input, options] = (takes === undefined ? [{}, given[count]] : given.slice(count)) as [object?, CallOptions?];
    if (takes === 'page') return http.collection(target, input, options);
    const taken = takes === 'body' ? { body: input ?? {} } : { query: { ...input } };
    const call = { method: method.toUpperCase(), path: target, options, keyed, ...taken };
    return method === 'delete' ? http.empty(call) : http.json(call);
  };
}

/** The client on a given {@link Platform}, for tests. */
export function buildClient(options: SvcClientOptions, platform: Platform): SvcClient {
  const http = createHttp(options, platform);
  const own = Object.entries<Address>(organiserEndpoints);
  const methods = Object.fromEntries(own.map(([id, address]) => [id, methodOf(http, address)])) as unknown as Methods;
  /** Older services take JSON alone. */
  let takesForms = true;

  /** @param toJson the same body as JSON */
  async function enrol<T>(
    id: Enrolling,
    inPath: readonly string[],
    form: FormData | null,
    toJson: () => Promise<object>,
    given: PostOptions | undefined,
  ): Promise<T> {
    // One key for both, so that what was carried out as a form is not done again as JSON.
    const call = { ...given, idempotencyKey: given?.idempotencyKey ?? platform.newIdempotencyKey() };
    const send = methodOf(http, organiserEndpoints[id]) as (...given: unknown[]) => Promise<T>;
    if (form === null || !takesForms) return send(...inPath, await toJson(), call);
    try {
      return await send(...inPath, form, call);
    } catch (error) {
      if (!isSvcApiError(error) || error.code !== 'unsupported-media-type') throw error;
      takesForms = false;
      return send(...inPath, await toJson(), call);
    }
  }

  return {
    ...methods,
    async enrolPerson(listId, person, call) {
      const form = toForm('person', withoutPhotos(person), [person]);
      return enrol('enrolPerson', [listId], form, () => toEnrolPersonRequest(person), call);
    },
    async putPerson(listId, personId, person, call) {
      const form = toForm('person', withoutPhotos(person), [person]);
      return enrol('putPerson', [listId, personId], form, () => toEnrolPersonRequest(person), call);
    },
    async enrolPeople(listId, people, call) {
      const form = toForm('people', { people: people.map(withoutPhotos) }, people);
      const toJson = async () => {
        const bodies: object[] = [];
        for (const person of people) bodies.push(await toEnrolPersonRequest(person));
        return { people: bodies };
      };
      const timeoutMs = call?.timeoutMs ?? options.timeoutMs ?? 600_000;
      return enrol('enrolPeople', [listId], form, toJson, { ...call, timeoutMs });
    },
    exportConsents: (query, call) => readLedger(http, query, call),
  };
}

/**
 * Creates a client for one account. The key is kept in a closure: printing the client does not show it.
 * @throws TypeError that says what is wrong with the URL or the key
 */
export function createSvcClient(options: SvcClientOptions): SvcClient {
  return buildClient(options, systemPlatform);
}

/** A link for one guest. Anyone who has it can enrol once for the ticket: send it to the guest only. */
export interface GuestLink {
  readonly url: string;
  /** For reading its state or revoking it. */
  readonly tokenId: string;
  readonly expiresAt: string;
}

/**
 * Creates a guest link for a ticket.
 * @param validForHours 1 to 336; never valid past the event's end
 * @throws SvcApiError `widget-settings-missing` when the event has no widget settings
 */
export async function createGuestLink(
  client: Pick<SvcClient, 'createEnrolmentToken'>,
  eventId: string,
  ticket: { readonly ticketId: string; readonly validForHours: number },
  options?: PostOptions,
): Promise<GuestLink> {
  const { url, tokenId, expiresAt } = await client.createEnrolmentToken(eventId, ticket, options);
  if (url === undefined) throw new Error('the service made no link');
  return { url, tokenId, expiresAt };
}

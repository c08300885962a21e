import { type EnrolledPeople, type EnrolPersonRequest, enrolPersonRequestSchema, isPersonId } from '@svc/protocol';
import type { InTransaction } from '../../db/connection.ts';
import { clientGone } from '../../http/answer.ts';
import { checked, type Photos } from '../../http/body.ts';
import { requestIdOf } from '../../http/observe-requests.ts';
import { problemOf } from '../../http/problems.ts';
import { sha256Hex } from '../../http/understand-body.ts';
import { InferenceError, type InferencePool, withPlace } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Clock } from '../../platform/ports.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { Enrolled, Enrolment, EnrolmentService } from './enrolment.ts';
import type { EnrolmentView } from './enrolment-store.ts';
import type { PersonService } from './service.ts';

/** @param at pointer of the request in the body */
function toEnrolment(request: EnrolPersonRequest, photos: Photos, at = ''): Enrolment {
  const { imageBase64: _cutOut, photoSource: takenBy, additionalImagesBase64 = [], ...said } = request;
  const additionalPhotos = additionalImagesBase64.map((_, i) => photos.at(`${at}/additionalImagesBase64/${i}`));
  return { ...said, takenBy, photo: photos.at(`${at}/imageBase64`), additionalPhotos };
}

/** Clients of the URL standard resolve these as dot segments, even percent-encoded. */
const isDotSegment = (personId: string) => personId === '.' || personId === '..';

function locationOf(listId: string, personId: string): string {
  const people = `/v1/lists/${listId}/people`;
  return isDotSegment(personId) ? `${people}?personId=${personId}` : `${people}/${encodeURIComponent(personId)}`;
}

const answerOf = (listId: string, enrolled: Enrolled) => ({
  body: pick(enrolled, ['personId', 'modelId', 'deleteAfter']),
  about: { listId, personId: enrolled.personId },
});

/** Works on items in their order, some at once. @throws the first error, once all that was begun has ended */
async function inTurn<T, R>(items: readonly T[], atOnce: number, work: (item: T, i: number) => Promise<R>) {
  const results: R[] = [];
  const left = items.entries();
  const lane = async () => {
    for (const [i, item] of left) results[i] = await work(item, i);
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return results;
}

type OneCall = Pick<Parameters<Handlers['enrolPerson']>[0], 'caller' | 'params' | 'response' | 'share' | 'isRepeat'>;
type BatchCall = Parameters<Handlers['enrolPeople']>[0];

export const personHandlers = (o: {
  readonly people: PersonService;
  readonly enrolments: EnrolmentService;
  readonly inference: InferencePool;
  readonly clock: Clock;
  /** How many of a batch are enrolled at one time. */
  readonly atOnce: number;
}) => {
  const enrolling =
    (
      { caller, share }: Pick<OneCall, 'caller' | 'share'>,
      view: EnrolmentView,
      enrolment: Enrolment,
      gone: AbortSignal,
    ) =>
    (remember: InTransaction<Enrolled>) =>
      withPlace(o.inference, share, gone, (place) =>
        o.enrolments.enrol(caller, view, enrolment, place, { whenStored: remember }),
      );

  /**
   * The order of the checks is part of the interface: 413, 401, 429, 503, 404, the body (413, 408, 415, 400), 503, 409,
   * 402, 400, 422.
   * @param once answers for what is made
   */
  async function enrolOne<A>(
    { caller, params: { listId }, response, share, isRepeat }: OneCall,
    readBody: () => Promise<{ readonly value: EnrolPersonRequest; readonly photos: Photos }>,
    once: (enrol: (remember: InTransaction<Enrolled>) => Promise<Enrolled>) => Promise<A>,
  ): Promise<A> {
    // Before the body, to avoid reading it in vain. Only a new request with its photo takes a place, never a repeat.
    if (!o.inference.hasRoom(share) && !(await isRepeat())) throw new ServiceError('overloaded');
    const view = await o.enrolments.find({ accountId: caller.accountId, listId });
    const { value, photos } = await readBody();
    const gone = AbortSignal.any([clientGone(response), photos.taken]);
    try {
      return await once(enrolling({ caller, share }, view, toEnrolment(value, photos), gone));
    } finally {
      photos.wipe();
    }
  }

  /** One of a batch, by the rules for one, unless it is too late to begin. */
  async function enrolOneOf(
    { caller, params: { listId }, share, key, onceFor }: BatchCall,
    [given, at]: readonly [given: unknown, at: string],
    photos: Photos,
    [gone, seen, until]: readonly [gone: AbortSignal, seen: Set<string>, until: number],
  ) {
    if (gone.aborted || o.clock.now() >= until) throw new ServiceError('overloaded');
    const ofPhotos = photos.errors.flatMap(({ pointer = '', detail }) =>
      pointer.startsWith(`${at}/`) ? [{ pointer: pointer.slice(at.length), detail }] : [],
    );
    const request = checked(enrolPersonRequestSchema, given, ofPhotos);
    const { personId } = request;
    if (seen.has(personId))
      throw new ServiceError('invalid-request', { errors: [{ pointer: '/personId', detail: 'is repeated' }] });
    seen.add(personId);
    const enrolment = toEnrolment(request, photos, at);
    const { photo, additionalPhotos = [] } = enrolment;
    const sha256 = key === null ? '' : sha256Hex(JSON.stringify(request), photo, ...additionalPhotos);
    const view = await o.enrolments.find({ accountId: caller.accountId, listId });
    return onceFor(
      enrolling({ caller, share }, view, enrolment, gone),
      (enrolled) => ({ ...answerOf(listId, enrolled), status: enrolled.replaced ? 200 : 201 }),
      { name: personId, sha256 },
    );
  }

  return {
    enrolPerson: ({ readBody, once, ...call }) =>
      enrolOne(call, readBody, (enrol) =>
        once(enrol, (enrolled) => ({
          ...answerOf(call.params.listId, enrolled),
          location: locationOf(call.params.listId, enrolled.personId),
        })),
      ),
    /** Each person takes a place of the queue for as long as one alone would, and few have one at a time. */
    async enrolPeople(call) {
      const { caller, params, response, share, readBody } = call;
      if (!o.inference.hasRoom(share)) throw new ServiceError('overloaded');
      const key = { accountId: caller.accountId, listId: params.listId };
      await o.enrolments.find(key);
      const { value, photos } = await readBody();
      const gone = AbortSignal.any([clientGone(response), photos.taken]);
      // The answer has to come before proxies give it up.
      const of = [gone, new Set<string>(), o.clock.now() + 50_000] as const;
      try {
        o.enrolments.requireOpen(await o.enrolments.find(key));
        const results = await inTurn(value.people, o.atOnce, async (given, i) => {
          const said: unknown = Object(given).personId;
          const named = typeof said === 'string' && isPersonId(said) ? { personId: said } : {};
          try {
            const { status, body } = await enrolOneOf(call, [given, `/people/${i}`], photos, of);
            return { ...named, status, person: body };
          } catch (cause) {
            const error = cause instanceof InferenceError ? new ServiceError('internal-error') : cause;
            if (!(error instanceof ServiceError)) throw error;
            const problem = problemOf(error, requestIdOf(response));
            return { ...named, status: problem.status, problem };
          }
        });
        return { body: { results } as EnrolledPeople };
      } finally {
        photos.wipe();
      }
    },
    async erasePeople({ caller, params: { listId }, body: { personIds, reason }, onceFor }) {
      const erase = () => o.people.eraseMany(caller, listId, personIds, reason === 'consent-withdrawn');
      // What is kept for repeats names nobody.
      const { body } = await onceFor(erase, (gone) => ({ body: gone.map((each) => (each ? 204 : 404)) }));
      const statuses = body as readonly (204 | 404)[];
      return { body: { results: personIds.map((personId, i) => ({ personId, status: statuses[i] ?? 404 })) } };
    },
    lookUpPeople: async ({ caller, params: { listId }, body: { personIds } }) => {
      const people = await o.people.lookUp(caller, listId, personIds);
      const results = people.map((person, i) => ({
        ...{ personId: personIds[i] ?? '', status: person === null ? (404 as const) : (200 as const) },
        ...(person === null ? {} : { person }),
      }));
      return { body: { results } };
    },
    putPerson({ readBody, once, ...call }) {
      const { listId, personId } = call.params;
      const readPerson = async () => {
        if (!isPersonId(personId))
          throw new ServiceError('invalid-request', {
            detail: 'The personId in the path is longer than 200 characters.',
          });
        const { value, photos } = await readBody();
        return { value: { ...value, personId }, photos };
      };
      return enrolOne(call, readPerson, (enrol) =>
        once(enrol, (enrolled) => ({
          ...answerOf(listId, enrolled),
          ...(enrolled.replaced ? {} : { status: 201, location: locationOf(listId, personId) }),
        })),
      );
    },
    listPeople: async ({ caller, params: { listId }, query: { personId, ...page } }) =>
      personId === undefined
        ? o.people.page(caller, listId, page)
        : { items: await o.people.named(caller, listId, personId, page), nextCursor: null },
    getPeopleSummary: ({ caller, params, query }) => o.people.overview(caller, params.listId, query),
    getPerson: ({ caller, params }) => o.people.get(caller, params.listId, params.personId),
    updatePerson: ({ caller, params, body }) => o.people.update(caller, params.listId, params.personId, body.metadata),
    deletePerson: ({ caller, params: { listId, personId }, query }) =>
      o.people.erase(caller, listId, personId, query.reason === 'consent-withdrawn'),
    deletePersonByQuery: ({ caller, params: { listId }, query: { personId, reason } }) =>
      o.people.erase(caller, listId, personId, reason === 'consent-withdrawn'),
  } satisfies Partial<Handlers>;
};

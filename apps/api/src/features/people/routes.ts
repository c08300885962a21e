import type { EnrolPersonRequest } from '@svc/protocol';
import type { InTransaction } from '../../db/connection.ts';
import { clientGone } from '../../http/answer.ts';
import type { Photos } from '../../http/body.ts';
import { type InferencePool, withPlace } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { Enrolled, Enrolment, EnrolmentService } from './enrolment.ts';
import type { PersonService } from './service.ts';

function toEnrolment(request: EnrolPersonRequest, photos: Photos): Enrolment {
  const { imageBase64: _cutOut, photoSource: takenBy, additionalImagesBase64 = [], ...said } = request;
  const additionalPhotos = additionalImagesBase64.map((_, i) => photos.at(`/additionalImagesBase64/${i}`));
  return { ...said, takenBy, photo: photos.at('/imageBase64'), additionalPhotos };
}

/** Clients of the URL standard resolve these as dot segments, even percent-encoded. */
const isDotSegment = (personId: string) => personId === '.' || personId === '..';

function locationOf(listId: string, personId: string): string {
  const people = `/v1/lists/${listId}/people`;
  return isDotSegment(personId) ? `${people}?personId=${personId}` : `${people}/${encodeURIComponent(personId)}`;
}

export const personHandlers = (o: {
  readonly people: PersonService;
  readonly enrolments: EnrolmentService;
  readonly inference: InferencePool;
}) =>
  ({
    /**
     * The order of the checks is part of the interface: 413, 401, 429, 503, 404, the body (413, 408, 415, 400), 503,
     * 409, 402, 400, 422.
     */
    async enrolPerson({ caller, params: { listId }, response, share, isRepeat, readBody, once }) {
      // Before the body, to avoid reading it in vain. Only a new request with its photo takes a place, never a repeat.
      if (!o.inference.hasRoom(share) && !(await isRepeat())) throw new ServiceError('overloaded');
      const view = await o.enrolments.find({ accountId: caller.accountId, listId });
      const { value, photos } = await readBody();
      const gone = AbortSignal.any([clientGone(response), photos.taken]);
      const enrol = (remember: InTransaction<Enrolled>) =>
        withPlace(o.inference, share, gone, (place) =>
          o.enrolments.enrol(caller, view, toEnrolment(value, photos), place, { whenStored: remember }),
        );
      try {
        return await once(enrol, (enrolled) => ({
          location: locationOf(listId, enrolled.personId),
          body: pick(enrolled, ['personId', 'modelId', 'deleteAfter']),
          about: { listId, personId: enrolled.personId },
        }));
      } finally {
        photos.wipe();
      }
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
  }) satisfies Partial<Handlers>;

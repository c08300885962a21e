import {
  consentVersionSchema,
  type EnrolledPerson,
  enrolPersonRequestSchema,
  isPhotoPointer,
  MAX_ENROLMENT_BODY_BYTES,
  type PersonResource,
  personQuerySchema,
} from '@svc/protocol';
import type { Router } from 'express';
import { z } from 'zod';
import type { Answer } from '../../http/answer.ts';
import type { Photos } from '../../http/body.ts';
import { clientGone, either } from '../../http/client-gone.ts';
import type { Call, Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import { type InferencePool, withPlace } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { Enrolled, Enrolment, EnrolmentService } from './enrolment.ts';
import type { PersonService, PersonView } from './service.ts';

const eraseQuerySchema = z.object({
  reason: z.literal('consent-withdrawn', { error: 'must be consent-withdrawn, or absent' }).optional(),
});

const eraseByQuerySchema = eraseQuerySchema.extend({ personId: z.string({ error: 'must be given' }) });

const toEnrolled = (enrolled: Enrolled): EnrolledPerson => ({
  personId: enrolled.personId,
  modelId: enrolled.modelId,
  deleteAfter: enrolled.deleteAfter.toISOString(),
});

const toResource = (person: PersonView): PersonResource => ({
  ...toEnrolled(person),
  consentVersion: consentVersionSchema.parse(person.consentVersion),
  enrolledAt: person.enrolledAt.toISOString(),
});

interface ReadEnrolment {
  readonly enrolment: Enrolment;
  readonly photos: Photos;
}

async function readEnrolment(call: Call<AccountCaller>): Promise<ReadEnrolment> {
  const limitBytes = MAX_ENROLMENT_BODY_BYTES;
  const { value, photos } = await call.bodyWithPhotos(enrolPersonRequestSchema, isPhotoPointer, { limitBytes });
  const { personId, consent, photoSource: takenBy, additionalImagesBase64 = [] } = value;
  const additionalPhotos = additionalImagesBase64.map((_, i) => photos.at(`/additionalImagesBase64/${i}`));
  return { enrolment: { personId, consent, takenBy, photo: photos.at('/imageBase64'), additionalPhotos }, photos };
}

/** Clients that follow the URL standard take these two for steps in the path, whether percent-encoded or not. */
const isDotSegment = (personId: string) => personId === '.' || personId === '..';

function locationOf(listId: string, personId: string): string {
  const people = `/v1/lists/${listId}/people`;
  return isDotSegment(personId) ? `${people}?personId=${personId}` : `${people}/${encodeURIComponent(personId)}`;
}

function toAnswer(listId: string, enrolled: Enrolled): Answer {
  const { personId } = enrolled;
  return {
    status: 201,
    location: locationOf(listId, personId),
    body: toEnrolled(enrolled),
    about: { listId, personId },
  };
}

export function mountPeople(
  router: Router,
  o: {
    readonly people: PersonService;
    readonly enrolments: EnrolmentService;
    readonly inference: InferencePool;
    readonly account: Guard<AccountCaller>;
  },
): void {
  mount(router, '/v1/lists/:listId/people', {
    get: o.account.call(async ({ caller, request, response }) => {
      const listId = pathParameter(request, 'listId');
      const { personId, ...page } = readQuery(request, personQuerySchema);
      const isMeant = ({ modelId }: PersonView) => page.modelId === undefined || modelId === page.modelId;
      const found =
        personId === undefined
          ? await o.people.page(caller, listId, page)
          : { items: (await o.people.named(caller, listId, personId)).filter(isMeant), nextCursor: null };
      response.json({ items: found.items.map(toResource), nextCursor: found.nextCursor });
    }),
    delete: o.account.call(async ({ caller, request, response }) => {
      const { personId, reason } = readQuery(request, eraseByQuerySchema);
      await o.people.erase(caller, pathParameter(request, 'listId'), personId, reason === 'consent-withdrawn');
      response.status(204).end();
    }),
    /** The order of the checks is part of the interface: 413, 401, 429, 503, 404, the body (413, 408, 415, 400), 503, 409, 402, 400, 422. */
    post: o.account.post(
      async (call) => {
        const { caller, request, response, share } = call;
        // Before the body, so that it is not read in vain; a place is taken once the photo is there, and by a repeat never.
        if (!o.inference.hasRoom(share) && !(await call.isRepeat())) throw new ServiceError('overloaded');
        const { accountId } = caller;
        const view = await o.enrolments.find({ accountId, listId: pathParameter(request, 'listId') });
        const { enrolment, photos } = await readEnrolment(call);
        try {
          return await call.once(
            (remember) =>
              withPlace(o.inference, share, either(clientGone(response), photos.taken), (admission) =>
                o.enrolments.enrol(caller, view, enrolment, admission, { whenStored: remember }),
              ),
            (enrolled: Enrolled) => toAnswer(view.list.listId, enrolled),
          );
        } finally {
          photos.wipe();
        }
      },
      { limitBytes: MAX_ENROLMENT_BODY_BYTES },
    ),
  });
  mount(router, '/v1/lists/:listId/people/:personId', {
    get: o.account.call(async ({ caller, request, response }) => {
      const personId = pathParameter(request, 'personId');
      response.json(toResource(await o.people.get(caller, pathParameter(request, 'listId'), personId)));
    }),
    delete: o.account.call(async ({ caller, request, response }) => {
      const { reason } = readQuery(request, eraseQuerySchema);
      const personId = pathParameter(request, 'personId');
      await o.people.erase(caller, pathParameter(request, 'listId'), personId, reason === 'consent-withdrawn');
      response.status(204).end();
    }),
  });
}

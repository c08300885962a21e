import {
  consentVersionSchema,
  type EnrolledPerson,
  enrolPersonRequestSchema,
  MAX_ENROLMENT_BODY_BYTES,
  type PersonResource,
  personQuerySchema,
} from '@svc/protocol';
import type { Router } from 'express';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { Answer } from '../../http/answer.ts';
import { clientGone } from '../../http/client-gone.ts';
import type { Call, Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { InferencePool } from '../../inference/port.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { Enrolled, Enrolment, EnrolmentService } from './enrolment.ts';
import { decodePhotoText, wipePhoto } from './photo-text.ts';
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

/** The text of the photos is let go here: while the enrolment waits for a worker, only their bytes are kept. */
async function readEnrolment(call: Call<AccountCaller>): Promise<Enrolment> {
  const limitBytes = MAX_ENROLMENT_BODY_BYTES;
  const {
    personId,
    consent,
    imageBase64,
    additionalImagesBase64 = [],
  } = await call.body(enrolPersonRequestSchema, {
    limitBytes,
  });
  const additionalPhotos = additionalImagesBase64.map(decodePhotoText);
  return { personId, consent, photo: decodePhotoText(imageBase64), additionalPhotos };
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
    /** The order of the checks is part of the interface: 413, 401, 429, 503, 404, the body (413, 415, 400), 409, 402, 400, 422. */
    post: o.account.post(
      async (call) => {
        const { caller, request, response } = call;
        const admission = o.inference.admit(caller.accountId, clientGone(response));
        if (admission === null) throw new ServiceError('overloaded');
        try {
          const { accountId } = caller;
          const view = await o.enrolments.find({ accountId, listId: pathParameter(request, 'listId') });
          const enrolment = await readEnrolment(call);
          try {
            return await call.once(
              (remember) => o.enrolments.enrol(caller, view, enrolment, admission, { whenStored: remember }),
              (enrolled: Enrolled) => toAnswer(view.list.listId, enrolled),
            );
          } finally {
            for (const photo of [enrolment.photo, ...(enrolment.additionalPhotos ?? [])]) wipePhoto(photo);
          }
        } finally {
          admission.release();
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

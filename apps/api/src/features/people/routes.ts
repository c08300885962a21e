import {
  consentVersionSchema,
  type EnrolledPerson,
  enrolPersonRequestSchema,
  MAX_ENROLMENT_BODY_BYTES,
  type PersonResource,
  pageQuerySchema,
} from '@svc/protocol';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { AuthenticateAccount } from '../../http/authenticate.ts';
import { readJson, refuseDeclaredLength } from '../../http/body.ts';
import { clientGone } from '../../http/client-gone.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { InferencePool } from '../../inference/port.ts';
import type { ListService } from '../lists/service.ts';
import type { Enrolled, Enrolment, EnrolmentService } from './enrolment.ts';
import { decodePhotoText } from './photo-text.ts';
import type { PersonService } from './service.ts';
import type { PersonRecord } from './store.ts';

const eraseQuerySchema = z.object({
  reason: z.literal('consent-withdrawn', { error: 'must be consent-withdrawn, or absent' }).optional(),
});

const toEnrolled = (enrolled: Enrolled): EnrolledPerson => ({
  personId: enrolled.personId,
  modelId: enrolled.modelId,
  deleteAfter: enrolled.deleteAfter.toISOString(),
});

const toResource = (person: PersonRecord): PersonResource => ({
  ...toEnrolled(person),
  consentVersion: consentVersionSchema.parse(person.consentVersion),
  enrolledAt: person.enrolledAt.toISOString(),
});

/** The text of the photo is let go here: while the enrolment waits for a worker, only its bytes are kept. */
async function readEnrolment(request: Request, response: Response): Promise<Enrolment> {
  const limitBytes = MAX_ENROLMENT_BODY_BYTES;
  const { imageBase64, ...rest } = await readJson(request, response, enrolPersonRequestSchema, { limitBytes });
  return { ...rest, photo: decodePhotoText(imageBase64) };
}

export function mountPeople(
  router: Router,
  o: {
    readonly lists: ListService;
    readonly people: PersonService;
    readonly enrolments: EnrolmentService;
    readonly inference: InferencePool;
    readonly authenticate: AuthenticateAccount;
  },
): void {
  mount(router, '/v1/lists/:listId/people', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const listId = pathParameter(request, 'listId');
      const page = await o.people.page(caller, listId, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    },
    /** The order of the checks is part of the interface: 413, 401, 503, 404, the body (413, 415, 400), 409, 402, 400, 422. */
    async post(request, response) {
      refuseDeclaredLength(request, MAX_ENROLMENT_BODY_BYTES);
      const caller = await o.authenticate(request);
      const admission = o.inference.admit(caller.accountId, clientGone(response));
      if (admission === null) throw new ServiceError('overloaded');
      try {
        const list = await o.lists.get(caller, pathParameter(request, 'listId'));
        const enrolled = await o.enrolments.enrol(caller, list, await readEnrolment(request, response), admission);
        response.setHeader('Location', `/v1/lists/${list.listId}/people/${encodeURIComponent(enrolled.personId)}`);
        response.status(201).json(toEnrolled(enrolled));
      } finally {
        admission.release();
      }
    },
  });
  mount(router, '/v1/lists/:listId/people/:personId', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const personId = pathParameter(request, 'personId');
      response.json(toResource(await o.people.get(caller, pathParameter(request, 'listId'), personId)));
    },
    async delete(request, response) {
      const caller = await o.authenticate(request);
      const { reason } = readQuery(request, eraseQuerySchema);
      const personId = pathParameter(request, 'personId');
      await o.people.erase(caller, pathParameter(request, 'listId'), personId, reason === 'consent-withdrawn');
      response.status(204).end();
    },
  });
}

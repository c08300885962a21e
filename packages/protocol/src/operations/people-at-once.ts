import * as z from 'zod';
import { requestSchemas, responseSchemas } from '../common.ts';
import {
  MAX_ENROLMENTS_AT_ONCE,
  MAX_ENROLMENTS_BODY_BYTES,
  MAX_PERSON_IDS_AT_ONCE,
  MAX_PERSON_IDS_BODY_BYTES,
} from '../limits.ts';
import type { Descriptions } from './descriptions.ts';
import {
  enrolledPersonSchema,
  enrolmentErrors,
  enrolPersonRequestSchema,
  eraseQuerySchema,
  exampleEnrolled,
  exampleEnrolment,
  examplePerson,
  personIdSchema,
  personSchema,
} from './people.ts';
import { problemSchema } from './problem.ts';

const enrolPeopleRequestSchema = z
  .object({ people: z.array(enrolPersonRequestSchema).min(1).max(MAX_ENROLMENTS_AT_ONCE) })
  .register(requestSchemas, { id: 'EnrolPeopleRequest' });

/** The same before its people are validated, each by itself. */
const envelopeSchema = z.object({ people: z.array(z.unknown()).min(1).max(MAX_ENROLMENTS_AT_ONCE) });

/** What no guest is told. */
const personProblemSchema = problemSchema.omit({ token: true, attemptsLeft: true, resourceId: true });

/** What became of each person, in the order of the request. */
const enrolledPeopleSchema = z
  .object({
    results: z.array(
      z.object({
        personId: personIdSchema.optional().describe('absent for what is no personId'),
        status: z.int().describe('201: enrolled. 200: the face is replaced. Any other: that of the problem'),
        person: enrolledPersonSchema.optional(),
        problem: personProblemSchema.optional().describe('as the response to only this person would be'),
      }),
    ),
  })
  .register(responseSchemas, { id: 'EnrolledPeople' });
export type EnrolledPeople = z.infer<typeof enrolledPeopleSchema>;

const personIdsSchema = z.array(personIdSchema).min(1).max(MAX_PERSON_IDS_AT_ONCE);

const erasePeopleRequestSchema = eraseQuerySchema
  .extend({ personIds: personIdsSchema })
  .register(requestSchemas, { id: 'ErasePeopleRequest' });
export type ErasePeopleRequest = z.infer<typeof erasePeopleRequestSchema>;

const erasedPeopleSchema = z
  .object({
    results: z.array(
      z.object({ personId: personIdSchema, status: z.literal([204, 404]).describe('404: no such person') }),
    ),
  })
  .register(responseSchemas, { id: 'ErasedPeople' });
export type ErasedPeople = z.infer<typeof erasedPeopleSchema>;

const lookUpPeopleRequestSchema = z
  .object({ personIds: personIdsSchema })
  .register(requestSchemas, { id: 'LookUpPeopleRequest' });

const foundPeopleSchema = z
  .object({
    results: z.array(
      z.object({ personId: personIdSchema, status: z.literal([200, 404]), person: personSchema.optional() }),
    ),
  })
  .register(responseSchemas, { id: 'FoundPeople' });
export type FoundPeople = z.infer<typeof foundPeopleSchema>;

const { personId } = exampleEnrolment;
const absent = { personId: 'T-5D1R7V0HJQ2N6P9S', status: 404 } as const;
const ofPersonIds = { limitBytes: MAX_PERSON_IDS_BODY_BYTES, maxValues: MAX_PERSON_IDS_AT_ONCE + 10 };

export const peopleAtOnceOperations = {
  enrolPeople: {
    summary: 'Enrol up to a hundred people',
    description:
      'Each as by a request of its own, with its own status and problem, in the order of the request; one who is refused keeps nobody else out. A personId may be there once. The people share the queue with the account’s other requests. With an Idempotency-Key a repeat answers for each who was enrolled as before and tries the others again, also in another order or with other people beside them.',
    request: {
      schema: enrolPeopleRequestSchema,
      envelope: envelopeSchema,
      photos: 'people',
      limitBytes: MAX_ENROLMENTS_BODY_BYTES,
      maxValues: MAX_ENROLMENTS_AT_ONCE * 60,
      example: { people: [exampleEnrolment] },
    },
    success: {
      description: 'what became of each',
      schema: enrolledPeopleSchema,
      example: { results: [{ personId, status: 201, person: exampleEnrolled }] },
    },
    errors: enrolmentErrors,
  },
  erasePeople: {
    summary: 'Erase the faces of up to a thousand people',
    description: 'As the deletion of each would. A repeat is told 404, unless its Idempotency-Key was answered before.',
    request: { ...ofPersonIds, schema: erasePeopleRequestSchema, example: { personIds: [personId, absent.personId] } },
    success: {
      description: 'what became of each, in the order of the request',
      schema: erasedPeopleSchema,
      example: { results: [{ personId, status: 204 }, absent] },
    },
    audit: 'person.erase',
  },
  lookUpPeople: {
    summary: 'Read up to a thousand people',
    description: 'For many at once, and for personIds that fit no path. It changes nothing.',
    request: { ...ofPersonIds, schema: lookUpPeopleRequestSchema, example: { personIds: [personId, absent.personId] } },
    success: {
      description: 'each, in the order of the request; no face data',
      schema: foundPeopleSchema,
      example: { results: [{ personId, status: 200, person: examplePerson }, absent] },
    },
  },
} satisfies Descriptions;

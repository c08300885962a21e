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
        personId: personIdSchema.optional().describe('absent if the item has no valid personId'),
        status: z.int().describe('201: enrolled; 200: face replaced; any other: the status of `problem`'),
        person: enrolledPersonSchema.optional(),
        problem: personProblemSchema.optional().describe('the problem that a request for this person would return'),
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
      z.object({ personId: personIdSchema, status: z.literal([204, 404]).describe('204: erased; 404: not found') }),
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
      'Enrols each person separately and returns a status for each, in the order of the request; if one is refused, the others are still enrolled. Each personId can occur only once. Photos wait in the same queue as the account’s other requests. If you repeat the request with its Idempotency-Key, people already enrolled get the same result and the others are tried again; you can change the order, or leave out or add people.',
    request: {
      schema: enrolPeopleRequestSchema,
      envelope: envelopeSchema,
      photos: 'people',
      limitBytes: MAX_ENROLMENTS_BODY_BYTES,
      maxValues: MAX_ENROLMENTS_AT_ONCE * 60,
      example: { people: [exampleEnrolment] },
    },
    success: {
      description: 'the result for each person',
      schema: enrolledPeopleSchema,
      example: { results: [{ personId, status: 201, person: exampleEnrolled }] },
    },
    errors: enrolmentErrors,
  },
  erasePeople: {
    summary: 'Erase the faces of up to a thousand people',
    description:
      'Erases each person as `DELETE` does. A repeat gets 404 for people already erased; with the same Idempotency-Key it gets the first response.',
    request: { ...ofPersonIds, schema: erasePeopleRequestSchema, example: { personIds: [personId, absent.personId] } },
    success: {
      description: 'the result for each person, in the order of the request',
      schema: erasedPeopleSchema,
      example: { results: [{ personId, status: 204 }, absent] },
    },
    audit: 'person.erase',
  },
  lookUpPeople: {
    summary: 'Read up to a thousand people',
    description: 'Reads many people with one request, also the personIds `.` and `..`. Changes nothing.',
    request: { ...ofPersonIds, schema: lookUpPeopleRequestSchema, example: { personIds: [personId, absent.personId] } },
    success: {
      description: 'the people, in the order of the request; no face data',
      schema: foundPeopleSchema,
      example: { results: [{ personId, status: 200, person: examplePerson }, absent] },
    },
  },
} satisfies Descriptions;

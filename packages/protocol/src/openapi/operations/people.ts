import { photoRefusals } from '../../photo-refusals.ts';
import { exampleModelId, listId, type Operation, PAGE, type Parameter, page, personId } from '../operation.ts';

const eraseReason: Parameter = {
  name: 'reason',
  in: 'query',
  required: false,
  description: 'that the person withdrew consent: the consent ledger notes it',
  schema: { type: 'string', enum: ['consent-withdrawn'] },
};

const personIdQuery = (required: boolean): Parameter => ({
  name: 'personId',
  in: 'query',
  required,
  description: 'the caller’s own identifier of the person',
  schema: { type: 'string' },
});

const modelIdQuery: Parameter = {
  name: 'modelId',
  in: 'query',
  required: false,
  description: 'only those whose template is of this model',
  schema: { type: 'string' },
};

const asked = {
  personId: 'T-8F3K2M9QXW4Z7B1C',
  consent: {
    consentVersion: 'eu-v2',
    givenAt: '2027-06-01T09:30:00Z',
    explicitBiometricConsent: true,
    writtenRelease: true,
  },
  imageBase64: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD',
} as const;
const enrolled = {
  personId: asked.personId,
  modelId: exampleModelId,
  deleteAfter: '2027-06-20T23:00:00.000Z',
} as const;
const person = { ...enrolled, consentVersion: 'eu-v2', enrolledAt: '2027-06-01T09:31:00.000Z' } as const;

export const personOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/lists/{listId}/people',
    operationId: 'enrolPerson',
    tag: 'People',
    summary: 'Enrol a person',
    description:
      'Makes a face template from one photo, or the mean of several of the same person; no photo is ever stored or logged. Where a further photo is what is refused, `errors[]` points at it. Enrolling an existing personId replaces the face and also answers 201. Consent is checked before the image is decoded.',
    security: 'apiKey',
    parameters: [listId],
    request: { schema: 'EnrolPersonRequest', required: true, example: asked },
    success: {
      status: 201,
      description: 'enrolled, or the face replaced',
      schema: 'EnrolledPerson',
      example: enrolled,
      headers: { Location: 'path of the person' },
    },
    errors: [
      'no-plan',
      'plan-limit-reached',
      'not-found',
      'list-ended',
      'enrolment-closed',
      'consent-version-mismatch',
      'camera-required',
      ...photoRefusals,
      'different-person',
      'overloaded',
      'model-missing',
    ],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}/people',
    operationId: 'listPeople',
    tag: 'People',
    summary: 'List the people of a list',
    description:
      'One page, in the order of their first enrolment; people past their `deleteAfter` are not among them. With `personId` the one who is named, or nobody; with `modelId` those of one model.',
    security: 'apiKey',
    parameters: [listId, personIdQuery(false), modelIdQuery, ...page],
    success: {
      status: 200,
      description: 'a page of people; no face data',
      schema: 'PersonCollection',
      example: { items: [person], nextCursor: null },
    },
    errors: [...PAGE, 'not-found'],
  },
  {
    method: 'delete',
    path: '/v1/lists/{listId}/people',
    operationId: 'deletePersonByQuery',
    tag: 'People',
    summary: 'Erase the face of a person named in the query',
    description:
      'The same as the deletion by path, for a personId that is `.` or `..`: URL parsers take these for steps in the path.',
    security: 'apiKey',
    parameters: [listId, personIdQuery(true), eraseReason],
    success: { status: 204, description: 'erased' },
    errors: ['invalid-request', 'not-found'],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}/people/{personId}',
    operationId: 'getPerson',
    tag: 'People',
    summary: 'Read a person',
    description: 'What is known of an enrolled person. Past `deleteAfter` it is 404.',
    security: 'apiKey',
    parameters: [listId, personId],
    success: { status: 200, description: 'the person; no face data', schema: 'Person', example: person },
    errors: ['not-found'],
  },
  {
    method: 'delete',
    path: '/v1/lists/{listId}/people/{personId}',
    operationId: 'deletePerson',
    tag: 'People',
    summary: 'Erase a person’s face',
    description: 'Devices drop it at their next sync. The place on the bill is not given back.',
    security: 'apiKey',
    parameters: [listId, personId, eraseReason],
    success: { status: 204, description: 'erased' },
    errors: ['invalid-request', 'not-found'],
  },
];

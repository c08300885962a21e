import { eventId, exampleId, exampleModelId, listId, type Operation, PAGE, page, tokenId } from '../operation.ts';

const token = {
  tokenId: exampleId('tok'),
  ticketId: 'T-8F3K2M9QXW4Z7B1C',
  state: 'valid',
  attemptsLeft: 5,
  guestLink: true,
  createdAt: '2026-06-01T09:30:00.000Z',
  expiresAt: '2026-06-04T09:30:00.000Z',
} as const;

export const tokenOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/events/{eventId}/enrolment-tokens',
    operationId: 'createEnrolmentToken',
    tag: 'Enrolment tokens',
    summary: 'Create an enrolment token, or a guest link',
    description:
      'Lets one guest enrol for one ticket, once. Without `validForHours` it is valid for 30 minutes and may be put in the page that shows the widget. With it, `url` is a link to send to the guest. Neither is valid past the event’s end.',
    security: 'apiKey',
    parameters: [eventId],
    request: {
      schema: 'CreateEnrolmentTokenRequest',
      required: true,
      example: { ticketId: 'T-8F3K2M9QXW4Z7B1C', validForHours: 72 },
    },
    success: {
      status: 201,
      description: 'created; the token is shown this once',
      schema: 'CreatedEnrolmentToken',
      headers: { Location: 'path of the enrolment token' },
      example: {
        tokenId: exampleId('tok'),
        token: 'svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
        ticketId: 'T-8F3K2M9QXW4Z7B1C',
        expiresAt: '2026-06-04T09:30:00.000Z',
        url: 'https://widget.example.org/#svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
      },
    },
    errors: [
      'not-found',
      'widget-settings-missing',
      'event-without-list',
      'event-ended',
      'list-ended',
      'enrolment-closed',
    ],
  },
  {
    method: 'post',
    path: '/v1/lists/{listId}/enrolment-links',
    operationId: 'createEnrolmentLinks',
    tag: 'Enrolment tokens',
    summary: 'Create guest links for people who are to enrol again',
    description:
      'After a list’s model was changed: a link each for people whose template is of an older model, at most 100 a request. Whoever holds a valid link is passed over, so asking again goes on where the answer before ended; `remaining` tells how many are left. They are enrolment tokens of the list’s event.',
    security: 'apiKey',
    parameters: [listId],
    request: {
      schema: 'CreateEnrolmentLinksRequest',
      required: true,
      example: { modelId: exampleModelId, validForHours: 72 },
    },
    success: {
      status: 201,
      description: 'created; the links are shown this once',
      schema: 'CreatedEnrolmentLinks',
      example: {
        items: [
          {
            personId: token.ticketId,
            tokenId: token.tokenId,
            url: 'https://widget.example.org/#svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
            expiresAt: token.expiresAt,
          },
        ],
        remaining: 0,
      },
    },
    errors: [
      'not-found',
      'list-without-event',
      'widget-settings-missing',
      'event-ended',
      'list-ended',
      'enrolment-closed',
    ],
  },
  {
    method: 'get',
    path: '/v1/events/{eventId}/enrolment-tokens',
    operationId: 'listEnrolmentTokens',
    tag: 'Enrolment tokens',
    summary: 'List the enrolment tokens of an event',
    description: 'One page, newest first, of the tokens for the event’s list; none for an event without a list.',
    security: 'apiKey',
    parameters: [eventId, ...page],
    success: {
      status: 200,
      description: 'a page of tokens, without their secrets',
      schema: 'EnrolmentTokenCollection',
      example: { items: [token], nextCursor: null },
    },
    errors: [...PAGE, 'not-found'],
  },
  {
    method: 'get',
    path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}',
    operationId: 'getEnrolmentToken',
    tag: 'Enrolment tokens',
    summary: 'Read an enrolment token',
    description: 'What has become of it. Tokens are forgotten 30 days after they expired.',
    security: 'apiKey',
    parameters: [eventId, tokenId],
    success: { status: 200, description: 'the token, without its secret', schema: 'EnrolmentToken', example: token },
    errors: ['not-found'],
  },
  {
    method: 'delete',
    path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}',
    operationId: 'revokeEnrolmentToken',
    tag: 'Enrolment tokens',
    summary: 'Revoke an enrolment token',
    description:
      'From here on nobody enrols with it. A second revocation, or one of a token that was used, changes nothing.',
    security: 'apiKey',
    parameters: [eventId, tokenId],
    success: { status: 204, description: 'revoked' },
    errors: ['not-found'],
  },
];

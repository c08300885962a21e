import { photoRefusals } from '../../photo-refusals.ts';
import type { Operation, Parameter } from '../operation.ts';

/** What has become of the token or of what it is for. */
const TOKEN = ['token-expired', 'token-used', 'token-exhausted', 'account-suspended'] as const;

const language: Parameter = {
  name: 'language',
  in: 'query',
  required: false,
  description: 'language of the wording (BCP 47); without it, `Accept-Language` decides',
  schema: { type: 'string', maxLength: 35 },
};

export const widgetOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/widget/session',
    operationId: 'getWidgetSession',
    tag: 'Widget',
    summary: 'Read what the widget shows',
    description: 'Nothing in it tells whose ticket it is. Reading it changes nothing.',
    security: 'guestToken',
    parameters: [language],
    success: {
      status: 200,
      description: 'organiser, wording and what is left of the token',
      schema: 'WidgetSession',
      headers: { 'Content-Language': 'of the wording' },
    },
    errors: [...TOKEN, 'invalid-request', 'list-ended', 'enrolment-closed'],
  },
  {
    method: 'post',
    path: '/v1/widget/enrolments',
    operationId: 'enrolGuest',
    tag: 'Widget',
    summary: 'Enrol the guest of the token',
    description:
      'Consent and photo in one. The service notes when, and which wording was shown. An unusable photo costs one of five attempts; the problem says how many are left. Success spends every open token for the ticket. A retry with the same `Idempotency-Key` gets the same answer for 24 hours.',
    security: 'guestToken',
    request: {
      schema: 'GuestEnrolmentRequest',
      required: true,
      example: {
        consent: { consentVersion: 'eu-v2', explicitBiometricConsent: true, writtenRelease: true },
        language: 'de',
        wordingSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        imageBase64: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD',
      },
    },
    success: {
      status: 201,
      description: 'enrolled',
      schema: 'EnrolledGuest',
      example: { deleteAfter: '2026-06-20T23:00:00.000Z' },
    },
    errors: [
      ...TOKEN,
      'no-plan',
      'plan-limit-reached',
      'list-ended',
      'enrolment-closed',
      'consent-version-mismatch',
      'camera-required',
      'photo-in-progress',
      ...photoRefusals,
      'overloaded',
      'model-missing',
    ],
  },
  {
    method: 'post',
    path: '/v1/widget/decline',
    operationId: 'declineEnrolment',
    tag: 'Widget',
    summary: 'Note that the guest chose the standard entrance',
    description:
      'Spends the token. Takes no body. Possible as long as the token is valid, also when enrolment was closed meanwhile. A retry with the same `Idempotency-Key` gets the same answer for 24 hours.',
    security: 'guestToken',
    success: { status: 204, description: 'declined' },
    errors: [...TOKEN],
  },
];

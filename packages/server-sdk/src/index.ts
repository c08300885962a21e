export type { ErrorCode, FieldError } from '@svc/protocol';
export type { ImageInput } from './base64.ts';
export { createSvcClient, type SvcClient } from './client.ts';
export {
  type ApiProblem,
  type ConnectionFailure,
  isSvcApiError,
  isSvcConnectionError,
  SvcApiError,
  SvcConnectionError,
} from './errors.ts';
export { createGuestLink, type GuestLink } from './guest-link.ts';
export type { CallOptions, PostOptions, SvcClientOptions } from './http.ts';
export type { Collection, Page, PageRequest } from './pages.ts';
export type { NewPerson } from './resources/people.ts';
export { verifyWebhook, type WebhookNotification, type WebhookRefusal, WebhookVerificationError } from './webhooks.ts';

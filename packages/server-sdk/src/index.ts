export type {
  AddDeviceRequest,
  AddedDevice,
  AuditEntryResource,
  ChangeModelRequest,
  ConsentLedgerLine,
  ConsentRecordResource,
  ConsentVersion,
  CountedListResource,
  CreatedEnrolmentLinks,
  CreatedEnrolmentToken,
  CreatedWebhook,
  CreateEnrolmentLinksRequest,
  CreateEnrolmentTokenRequest,
  CreateEventRequest,
  CreateListRequest,
  CreateWebhookRequest,
  DeviceResource,
  EnrolledPerson,
  EnrolmentTokenResource,
  ErrorCode,
  EventResource,
  FieldError,
  ListResource,
  PersonResource,
  PublishedWordingResource,
  RotatedWebhookSecret,
  UpdateEventRequest,
  UpdateWebhookRequest,
  UsageResource,
  WebhookDeliveryResource,
  WebhookDeliveryState,
  WebhookEventType,
  WebhookResource,
  WidgetSettings,
} from '@svc/protocol';
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
export type { Answer, CallOptions, PostOptions, SvcClientOptions } from './http.ts';
export type { Collection, Page, PageRequest } from './pages.ts';
export type { RateLimit } from './rate-limit.ts';
export type { NewPerson } from './resources/people.ts';
export { verifyWebhook, type WebhookNotification, type WebhookRefusal, WebhookVerificationError } from './webhooks.ts';

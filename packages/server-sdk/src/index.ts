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
  EnrolmentTokenState,
  ErrorCode,
  EventResource,
  FieldError,
  HeadTurnAlternative,
  ListResource,
  OrganiserOperationTypes,
  PersonResource,
  PhotoCheck,
  PhotoSource,
  PlanName,
  PublishedWordingResource,
  RotatedWebhookSecret,
  UpdateEventRequest,
  UpdateListRequest,
  UpdateWebhookRequest,
  UsageResource,
  WebhookDeliveryResource,
  WebhookDeliveryState,
  WebhookEventType,
  WebhookFailure,
  WebhookNotificationBody,
  WebhookResource,
  WidgetSettings,
  WipeReason,
} from '@svc/protocol';
export { createSvcClient, type SvcClient } from './client.ts';
export type { ConsentFilter } from './consent-export.ts';
export type { ImageInput, NewPerson } from './enrolment.ts';
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
export { verifyWebhook, type WebhookNotification, type WebhookRefusal, WebhookVerificationError } from './webhooks.ts';

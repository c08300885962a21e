export { base64Error, decodeBase64 } from './base64.ts';
export {
  collectionSchema,
  componentName,
  consentVersionSchema,
  languageTagSchema,
  type PathParameter,
  pathParameters,
  type ResourceName,
  resourceNames,
} from './common.ts';
export {
  type ConsentVersion,
  consentVersionFor,
  consentVersionPublishedAt,
  consentVersions,
  currencyFits,
  EARLIEST_PAPER_CONSENT,
  fillWording,
  PAPER_FORM_VERSION,
  usualCurrency,
  wordingPlaceholders,
} from './consent-version.ts';
export { countries, isCountry, isEeaCountry } from './countries.ts';
export {
  deprecationHeaders,
  describeDeprecation,
  wrongDeprecations,
} from './deprecation.ts';
export {
  ERROR_REFERENCE_PATH,
  type ErrorCode,
  errorCodes,
  errorTable,
  isErrorCode,
  problemType,
} from './errors.ts';
export * from './idempotency.ts';
export { formatId, type IdPrefix, isId, uuidv7 } from './ids.ts';
export * from './limits.ts';
export * from './mail-template.ts';
export { MAX_METADATA_KEYS, type Metadata, type MetadataChange, metadataChangeSchema } from './metadata.ts';
export { buildOpenApiDocument } from './openapi/document.ts';
export { errorCodesOf, isKeyed } from './openapi/responses.ts';
export type * from './operations/api-keys.ts';
export type * from './operations/arrivals.ts';
export type * from './operations/audit.ts';
export type * from './operations/brand.ts';
export type * from './operations/consents.ts';
export { CONSENT_LEDGER_MEDIA_TYPE, consentLedgerLineSchema } from './operations/consents.ts';
export type * from './operations/devices.ts';
export { deviceSchema } from './operations/devices.ts';
export type * from './operations/endpoints.ts';
export { apiKeyScopes, organiserEndpoints, otherEndpoints, personEndpoints } from './operations/endpoints.ts';
export type * from './operations/events.ts';
export { createEventRequestSchema, organiserSchema, widgetSettingsSchema } from './operations/events.ts';
export { freshMsOf } from './operations/fresh.ts';
export type * from './operations/lists.ts';
export { createListRequestSchema, listSchema, updateListRequestSchema } from './operations/lists.ts';
export type * from './operations/live.ts';
export { EVENT_STREAM_MEDIA_TYPE, liveTopicScopes } from './operations/live.ts';
export type * from './operations/mailings.ts';
export { mailTemplateSchema, recipientStates, skipReasons } from './operations/mailings.ts';
export type * from './operations/notices.ts';
export { noticeKinds } from './operations/notices.ts';
export type * from './operations/operations.ts';
export { isStream, operations, pathNames } from './operations/operations.ts';
export type * from './operations/people.ts';
export {
  consentTimeError,
  enrolPersonRequestSchema,
  isPersonId,
  isPhotoPointer,
  personIdSchema,
  photoPointerOf,
} from './operations/people.ts';
export type * from './operations/people-at-once.ts';
export {
  createProblem,
  type FieldError,
  type HeldToken,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  problemSchema,
} from './operations/problem.ts';
export type * from './operations/roles.ts';
export { roleScopes, userRoles } from './operations/roles.ts';
export type * from './operations/service.ts';
export type * from './operations/sessions.ts';
export { CSRF_HEADER, SESSION_COOKIE } from './operations/sessions.ts';
export type * from './operations/tokens.ts';
export { createEnrolmentTokenRequestSchema, enrolmentTokenStates, guestStates } from './operations/tokens.ts';
export type * from './operations/usage.ts';
export { planNames } from './operations/usage.ts';
export type * from './operations/users.ts';
export { inviteUserRequestSchema } from './operations/users.ts';
export type * from './operations/webhooks.ts';
export {
  WEBHOOK_TEST_TYPE,
  webhookEventTypes,
  webhookNotificationSchema,
  webhookNotifications,
} from './operations/webhooks.ts';
export type * from './operations/widget.ts';
export { widgetSessionSchema } from './operations/widget.ts';
export type * from './operations/wording.ts';
export { consentWordingSchema } from './operations/wording.ts';
export * from './photo-refusals.ts';
export {
  type AccountMode,
  apiKeyPrefixes,
  formatSecret,
  isSecret,
  SECRET_CHARS,
  type SecretPrefix,
  secretPrefixOf,
} from './secrets.ts';
export * from './sync.ts';
export * from './test-photos.ts';
export { codePointLength, isPlainHttpsUrl, isText, parseUrl } from './text.ts';
export { memberError, unknownParameters, type Validated, validateBody, validateQuery } from './validation.ts';

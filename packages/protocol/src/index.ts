export { base64Error, base64UrlChars, decodeBase64 } from './base64.ts';
export {
  type ConsentVersion,
  consentVersionFor,
  consentVersionPublishedAt,
  consentVersions,
  fillWording,
  type WordingPlaceholder,
  wordingPlaceholders,
} from './consent-version.ts';
export { countries, isCountry, isEeaCountry } from './countries.ts';
export {
  DEPRECATION_NOTICE_DAYS,
  deprecationHeaders,
  describeDeprecation,
  wrongDeprecations,
} from './deprecation.ts';
export { renderErrorReference } from './error-reference.ts';
export {
  ERROR_REFERENCE_PATH,
  type ErrorCode,
  type ErrorDefinition,
  errorCodes,
  errorTable,
  isErrorCode,
  problemType,
} from './errors.ts';
export * from './idempotency.ts';
export { formatId, ID_CHARS, type IdPrefix, idPrefixes, isId, uuidv7 } from './ids.ts';
export * from './limits.ts';
export * from './mail-template.ts';
export { componentName } from './openapi/components.ts';
export { buildOpenApiDocument } from './openapi/document.ts';
export { errorCodesOf, isKeyed } from './openapi/responses.ts';
export * from './operations/api-keys.ts';
export * from './operations/audit.ts';
export * from './operations/brand.ts';
export * from './operations/common.ts';
export * from './operations/consents.ts';
export * from './operations/devices.ts';
export * from './operations/endpoints.ts';
export * from './operations/events.ts';
export * from './operations/lists.ts';
export * from './operations/live.ts';
export * from './operations/mailings.ts';
export * from './operations/operations.ts';
export * from './operations/people.ts';
export * from './operations/roles.ts';
export * from './operations/sessions.ts';
export * from './operations/tokens.ts';
export * from './operations/usage.ts';
export * from './operations/users.ts';
export * from './operations/webhooks.ts';
export * from './operations/widget.ts';
export * from './operations/wording.ts';
export { type PhotoRefusal, photoRefusals } from './photo-refusals.ts';
export {
  createProblem,
  type FieldError,
  fieldErrorSchema,
  type HeldToken,
  heldTokenSchema,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  problemSchema,
} from './problem.ts';
export { formatSecret, isSecret, SECRET_CHARS, type SecretPrefix, secretPrefixes, secretPrefixOf } from './secrets.ts';
export * from './sync.ts';
export { codePointLength, isText, textSchema } from './text.ts';
export { memberError, unknownParameters, type Validated, validateBody, validateQuery } from './validation.ts';

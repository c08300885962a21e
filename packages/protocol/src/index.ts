export { base64Error, base64UrlChars, decodeBase64 } from './base64.ts';
export {
  type ConsentVersion,
  consentVersionFor,
  consentVersionPublishedAt,
  consentVersions,
} from './consent-version.ts';
export { countries, isCountry, isEeaCountry } from './countries.ts';
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
export { fillWording, type WordingPlaceholder, wordingPlaceholders } from './fill-wording.ts';
export * from './idempotency.ts';
export { formatId, ID_CHARS, type IdPrefix, idPrefixes, isId, uuidv7 } from './ids.ts';
export * from './limits.ts';
export { buildOpenApiDocument } from './openapi/document.ts';
export type { Operation } from './openapi/operation.ts';
export { operations } from './openapi/operations/index.ts';
export { errorCodesOf } from './openapi/responses.ts';
export { type PhotoRefusal, photoRefusals } from './photo-refusals.ts';
export {
  createProblem,
  type FieldError,
  fieldErrorSchema,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  problemSchema,
} from './problem.ts';
export * from './schemas/audit.ts';
export * from './schemas/common.ts';
export * from './schemas/consents.ts';
export * from './schemas/devices.ts';
export * from './schemas/events.ts';
export * from './schemas/lists.ts';
export * from './schemas/people.ts';
export * from './schemas/tokens.ts';
export * from './schemas/usage.ts';
export * from './schemas/webhooks.ts';
export * from './schemas/widget.ts';
export * from './schemas/wording.ts';
export { formatSecret, isSecret, SECRET_CHARS, type SecretPrefix, secretPrefixes, secretPrefixOf } from './secrets.ts';
export * from './sync.ts';
export { codePointLength, isText, textSchema } from './text.ts';
export { memberError, unknownParameters, type Validated, validateBody, validateQuery } from './validation.ts';

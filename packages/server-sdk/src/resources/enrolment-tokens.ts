import type { CreatedEnrolmentToken, CreateEnrolmentTokenRequest, EnrolmentTokenResource } from '@svc/protocol';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface EnrolmentTokenMethods {
  /** For one ticket, once; the token is in the answer this once. With `validForHours` the answer holds a guest link. */
  createEnrolmentToken(
    eventId: string,
    request: CreateEnrolmentTokenRequest,
    options?: PostOptions,
  ): Promise<CreatedEnrolmentToken>;
  /** Newest first. */
  listEnrolmentTokens(eventId: string, query?: PageRequest, options?: CallOptions): Collection<EnrolmentTokenResource>;
  getEnrolmentToken(eventId: string, tokenId: string, options?: CallOptions): Promise<EnrolmentTokenResource>;
  revokeEnrolmentToken(eventId: string, tokenId: string, options?: CallOptions): Promise<void>;
}

export const enrolmentTokenMethods = (http: Http): EnrolmentTokenMethods => ({
  createEnrolmentToken: (eventId, body, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/events/${eventId}/enrolment-tokens`, body, options }),
  listEnrolmentTokens: (eventId, query, options) =>
    http.collection(pathOf`/v1/events/${eventId}/enrolment-tokens`, query, options),
  getEnrolmentToken: (eventId, tokenId, options) =>
    http.json({ method: 'GET', path: pathOf`/v1/events/${eventId}/enrolment-tokens/${tokenId}`, options }),
  revokeEnrolmentToken: (eventId, tokenId, options) =>
    http.empty({ method: 'DELETE', path: pathOf`/v1/events/${eventId}/enrolment-tokens/${tokenId}`, options }),
});

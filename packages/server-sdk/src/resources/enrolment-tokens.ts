import type {
  CreatedEnrolmentLinks,
  CreatedEnrolmentToken,
  CreateEnrolmentLinksRequest,
  CreateEnrolmentTokenRequest,
  EnrolmentTokenResource,
} from '@svc/protocol';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface EnrolmentTokenMethods {
  /** For one ticket, once; the token is in the answer this once. With `validForHours` the answer holds a guest link. */
  createEnrolmentToken(
    eventId: string,
    request: CreateEnrolmentTokenRequest,
    options?: PostOptions,
  ): Promise<CreatedEnrolmentToken>;
  /**
   * Guest links for people whose template is of an older model than the list's, or of the model that is named; at most 100. Those who hold a
   * valid link are passed over: ask again, under another key, until `remaining` is 0.
   */
  createEnrolmentLinks(
    listId: string,
    request: CreateEnrolmentLinksRequest,
    options?: PostOptions,
  ): Promise<CreatedEnrolmentLinks>;
  /** Newest first. */
  listEnrolmentTokens(eventId: string, query?: PageRequest, options?: CallOptions): Collection<EnrolmentTokenResource>;
  getEnrolmentToken(eventId: string, tokenId: string, options?: CallOptions): Promise<EnrolmentTokenResource>;
  revokeEnrolmentToken(eventId: string, tokenId: string, options?: CallOptions): Promise<void>;
}

export const enrolmentTokenMethods = (http: Http): EnrolmentTokenMethods => ({
  createEnrolmentToken: (eventId, body, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/events/${eventId}/enrolment-tokens`, body, options }),
  createEnrolmentLinks: (listId, body, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/lists/${listId}/enrolment-links`, body, options }),
  listEnrolmentTokens: (eventId, query, options) =>
    http.collection(pathOf`/v1/events/${eventId}/enrolment-tokens`, query, options),
  getEnrolmentToken: (eventId, tokenId, options) =>
    http.json({ method: 'GET', path: pathOf`/v1/events/${eventId}/enrolment-tokens/${tokenId}`, options }),
  revokeEnrolmentToken: (eventId, tokenId, options) =>
    http.empty({ method: 'DELETE', path: pathOf`/v1/events/${eventId}/enrolment-tokens/${tokenId}`, options }),
});

import type { CreatedEnrolmentLinks, CreatedEnrolmentToken, CreatedEnrolmentTokenBatch } from '@svc/protocol';
import type { Handlers } from '../handlers.ts';
import type { GuestService } from './guests.ts';
import type { EnrolmentLinkService } from './links.ts';
import type { TokenService } from './service.ts';

export const tokenHandlers = (o: {
  readonly tokens: TokenService;
  readonly links: EnrolmentLinkService;
  readonly guests: GuestService;
}) =>
  ({
    createEnrolmentLinks: ({ caller, params: { listId }, body, once }) =>
      once(
        (remember) => o.links.create(caller, listId, body, remember),
        (created: CreatedEnrolmentLinks) => ({ body: created, secretOf: listId }),
      ),
    createEnrolmentToken: ({ caller, params: { eventId }, body, once }) =>
      once(
        (remember) => o.tokens.create(caller, eventId, body, remember),
        (created: CreatedEnrolmentToken) => ({
          location: `/v1/events/${eventId}/enrolment-tokens/${created.tokenId}`,
          body: created,
          secretOf: created.tokenId,
        }),
      ),
    createEnrolmentTokenBatch: ({ caller, params: { eventId }, body, once }) =>
      once(
        (remember) => o.tokens.createBatch(caller, eventId, body, remember),
        (created: CreatedEnrolmentTokenBatch) => ({ body: created, secretOf: eventId }),
      ),
    listGuests: ({ caller, params, query }) => o.guests.page(caller, params.listId, query),
    getGuestSummary: ({ caller, params }) => o.guests.summary(caller, params.listId),
    getEnrolmentTokenSummary: ({ caller, params }) => o.tokens.summary(caller, params.eventId),
    listEnrolmentTokens: ({ caller, params, query }) => o.tokens.page(caller, params.eventId, query),
    getEnrolmentToken: ({ caller, params }) => o.tokens.get(caller, params.eventId, params.tokenId),
    revokeEnrolmentToken: ({ caller, params }) => o.tokens.revoke(caller, params.eventId, params.tokenId),
  }) satisfies Partial<Handlers>;

import type {
  CreatedEnrolmentLinks,
  CreatedEnrolmentToken,
  CreatedEnrolmentTokenBatch,
  EnrolmentTokenResource,
} from '@svc/protocol';
import { mapPage } from '../../platform/paging.ts';
import type { Handlers } from '../handlers.ts';
import type { CreatedLinks, EnrolmentLinkService } from './links.ts';
import type { CreatedBatch, CreatedToken, TokenService, TokenView } from './service.ts';

const toResource = (token: TokenView): EnrolmentTokenResource => ({
  ...token,
  createdAt: token.createdAt.toISOString(),
  expiresAt: token.expiresAt.toISOString(),
});

const toCreated = ({ tokenId, token, ticketId, expiresAt, url }: CreatedToken): CreatedEnrolmentToken => ({
  tokenId,
  token,
  ticketId,
  expiresAt: expiresAt.toISOString(),
  ...(url === null ? {} : { url }),
});

const toLinks = ({ items, remaining }: CreatedLinks): CreatedEnrolmentLinks => ({
  items: items.map(({ personId, tokenId, url, expiresAt }) => ({
    ...{ personId, tokenId, url, expiresAt: expiresAt.toISOString() },
  })),
  remaining,
});

const toBatch = ({ items, omitted }: CreatedBatch): CreatedEnrolmentTokenBatch => ({
  items: items.map((item) => ({ ...item, expiresAt: item.expiresAt.toISOString() })),
  omitted: [...omitted],
});

export const tokenHandlers = (o: { readonly tokens: TokenService; readonly links: EnrolmentLinkService }) =>
  ({
    createEnrolmentLinks: ({ caller, params, body, once }) =>
      once(
        (remember) => o.links.create(caller, params.listId, body, remember),
        (created: CreatedLinks) => ({ body: toLinks(created), secretOf: created.listId }),
      ),
    createEnrolmentToken: ({ caller, params: { eventId }, body, once }) =>
      once(
        (remember) => o.tokens.create(caller, eventId, body, remember),
        (created: CreatedToken) => ({
          location: `/v1/events/${eventId}/enrolment-tokens/${created.tokenId}`,
          body: toCreated(created),
          secretOf: created.tokenId,
        }),
      ),
    createEnrolmentTokenBatch: ({ caller, params: { eventId }, body, once }) =>
      once(
        (remember) => o.tokens.createBatch(caller, eventId, body, remember),
        (created: CreatedBatch) => ({ body: toBatch(created), secretOf: eventId }),
      ),
    async getEnrolmentTokenSummary({ caller, params }) {
      const { tokens, tickets, days } = await o.tokens.summary(caller, params.eventId);
      return { tokens: { ...tokens }, tickets, days: [...days] };
    },
    listEnrolmentTokens: async ({ caller, params, query }) =>
      mapPage(await o.tokens.page(caller, params.eventId, query), toResource),
    getEnrolmentToken: async ({ caller, params }) =>
      toResource(await o.tokens.get(caller, params.eventId, params.tokenId)),
    revokeEnrolmentToken: ({ caller, params }) => o.tokens.revoke(caller, params.eventId, params.tokenId),
  }) satisfies Partial<Handlers>;

import {
  type CreatedEnrolmentLinks,
  type CreatedEnrolmentToken,
  createEnrolmentLinksRequestSchema,
  createEnrolmentTokenRequestSchema,
  type EnrolmentTokenResource,
  pageQuerySchema,
} from '@svc/protocol';
import type { Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { CreatedLinks, EnrolmentLinkService } from './links.ts';
import type { CreatedToken, TokenService, TokenView } from './service.ts';

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

export function mountTokens(
  router: Router,
  o: {
    readonly tokens: TokenService;
    readonly links: EnrolmentLinkService;
    readonly account: Guard<AccountCaller>;
  },
): void {
  mount(router, '/v1/lists/:listId/enrolment-links', {
    post: o.account.post(async ({ caller, request, body, once }) => {
      const links = await body(createEnrolmentLinksRequestSchema);
      return once(
        (remember) => o.links.create(caller, pathParameter(request, 'listId'), links, remember),
        (created: CreatedLinks) => ({ status: 201, body: toLinks(created), secretOf: created.listId }),
      );
    }),
  });
  mount(router, '/v1/events/:eventId/enrolment-tokens', {
    get: o.account.call(async ({ caller, request, response }) => {
      const eventId = pathParameter(request, 'eventId');
      const page = await o.tokens.page(caller, eventId, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    }),
    post: o.account.post(async ({ caller, request, body, once }) => {
      const eventId = pathParameter(request, 'eventId');
      const token = await body(createEnrolmentTokenRequestSchema);
      return once(
        (remember) => o.tokens.create(caller, eventId, token, remember),
        (created: CreatedToken) => ({
          status: 201,
          location: `/v1/events/${eventId}/enrolment-tokens/${created.tokenId}`,
          body: toCreated(created),
          secretOf: created.tokenId,
        }),
      );
    }),
  });
  mount(router, '/v1/events/:eventId/enrolment-tokens/:tokenId', {
    get: o.account.call(async ({ caller, request, response }) => {
      const tokenId = pathParameter(request, 'tokenId');
      response.json(toResource(await o.tokens.get(caller, pathParameter(request, 'eventId'), tokenId)));
    }),
    delete: o.account.call(async ({ caller, request, response }) => {
      await o.tokens.revoke(caller, pathParameter(request, 'eventId'), pathParameter(request, 'tokenId'));
      response.status(204).end();
    }),
  });
}

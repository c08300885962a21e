import {
  type CreatedEnrolmentToken,
  createEnrolmentTokenRequestSchema,
  type EnrolmentTokenResource,
  pageQuerySchema,
} from '@svc/protocol';
import type { Router } from 'express';
import type { AuthenticateAccount } from '../../http/authenticate.ts';
import { readJson } from '../../http/body.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
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

export function mountTokens(
  router: Router,
  o: { readonly tokens: TokenService; readonly authenticate: AuthenticateAccount },
): void {
  mount(router, '/v1/events/:eventId/enrolment-tokens', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const eventId = pathParameter(request, 'eventId');
      const page = await o.tokens.page(caller, eventId, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    },
    async post(request, response) {
      const caller = await o.authenticate(request);
      const eventId = pathParameter(request, 'eventId');
      const body = await readJson(request, response, createEnrolmentTokenRequestSchema);
      const created = await o.tokens.create(caller, eventId, body);
      response.status(201).location(`/v1/events/${eventId}/enrolment-tokens/${created.tokenId}`);
      response.json(toCreated(created));
    },
  });
  mount(router, '/v1/events/:eventId/enrolment-tokens/:tokenId', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const tokenId = pathParameter(request, 'tokenId');
      response.json(toResource(await o.tokens.get(caller, pathParameter(request, 'eventId'), tokenId)));
    },
    async delete(request, response) {
      const caller = await o.authenticate(request);
      await o.tokens.revoke(caller, pathParameter(request, 'eventId'), pathParameter(request, 'tokenId'));
      response.status(204).end();
    },
  });
}

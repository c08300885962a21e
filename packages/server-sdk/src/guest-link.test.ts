import { expect, it } from 'vitest';
import { createGuestLink } from './guest-link.ts';
import { createFakeService, json } from './testing/fake-service.ts';

it('a guest link is the token’s, without the token itself', async () => {
  const answer = {
    tokenId: 'tok_1',
    token: 'svce_1',
    ticketId: 'T',
    expiresAt: 'then',
    url: 'https://w.example/#svce_1',
  };
  const { client, sent } = createFakeService([json(answer, 201)]);
  const link = await createGuestLink(client, 'evt_1', { ticketId: 'T', validForHours: 72 });
  expect(link).toEqual({ url: answer.url, tokenId: 'tok_1', expiresAt: 'then' });
  expect(sent[0]?.body).toBe('{"ticketId":"T","validForHours":72}');
});

import type { SvcClient } from './client.ts';
import type { PostOptions } from './http.ts';

/** A link to send to one guest. Whoever has it can enrol for the ticket, once: send it to the guest alone. */
export interface GuestLink {
  readonly url: string;
  /** For following it up, or revoking it. */
  readonly tokenId: string;
  readonly expiresAt: string;
}

/**
 * Makes a guest link for a ticket.
 * @param validForHours 1 to 336; the link is never valid past the event's end
 * @throws SvcApiError 'widget-settings-missing' before the event has its widget settings
 */
export async function createGuestLink(
  client: Pick<SvcClient, 'createEnrolmentToken'>,
  eventId: string,
  ticket: { readonly ticketId: string; readonly validForHours: number },
  options?: PostOptions,
): Promise<GuestLink> {
  const { url, tokenId, expiresAt } = await client.createEnrolmentToken(eventId, ticket, options);
  if (url === undefined) throw new Error('the service made no link');
  return { url, tokenId, expiresAt };
}

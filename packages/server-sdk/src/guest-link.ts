import type { SvcClient } from './client.ts';
import type { PostOptions } from './http.ts';

/** A link for one guest. Anyone who has it can enrol once for the ticket: send it to the guest only. */
export interface GuestLink {
  readonly url: string;
  /** For reading its state or revoking it. */
  readonly tokenId: string;
  readonly expiresAt: string;
}

/**
 * Creates a guest link for a ticket.
 * @param validForHours 1 to 336; never valid past the event's end
 * @throws SvcApiError 'widget-settings-missing' when the event has no widget settings
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

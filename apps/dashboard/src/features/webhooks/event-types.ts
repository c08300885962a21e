import type { WebhookEventType } from '@svc/protocol';

/** What a webhook can be told of, by subject: `webhooks.event.<type>`. */
export const eventGroups = {
  people: ['person.enrolled', 'person.declined', 'person.deleted'],
  lists: ['list.closed', 'list.ended'],
  doors: ['device.added', 'device.revoked', 'device.synced-late', 'device.wipe-sent'],
} as const satisfies Readonly<Record<string, readonly WebhookEventType[]>>;

export const allEventTypes: readonly WebhookEventType[] = Object.values(eventGroups).flat();

/** What is wrong with an address, before the service is asked: a text's key, or null. */
export function urlFault(text: string): 'webhooks.url-missing' | 'webhooks.url-not-https' | null {
  if (text.trim() === '') return 'webhooks.url-missing';
  return /^https:\/\/[^\s/?#@]+/i.test(text.trim()) ? null : 'webhooks.url-not-https';
}

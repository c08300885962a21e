// Run once: creates an event with its list and widget settings, and a webhook. Writes .env, without the API key.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createSvcClient } from '@svc/server-sdk';

const { SVC_URL = 'http://127.0.0.1:3000', SHOP_URL = 'http://127.0.0.1:4000', SVC_API_KEY = '' } = process.env;
if (existsSync('.env')) throw new Error('.env is there already');

const client = createSvcClient({ baseUrl: SVC_URL, apiKey: SVC_API_KEY });
const inDays = (days) => new Date(Date.now() + days * 86_400_000).toISOString();
const dates = { startsAt: inDays(30), endsAt: inDays(30.25) };
const { eventId } = await client.createEvent({ name: 'Summer concert', country: 'DE', ...dates });
await client.setWidgetSettings(eventId, {
  organiserName: 'Riverside Hall',
  privacyNoticeUrl: 'https://example.org/face-check-in-privacy',
});
const { listId } = await client.createList({ name: 'Ticket holders', eventId });
const { secret } = await client.createWebhook({
  url: `${SHOP_URL}/hooks/check-in`,
  eventTypes: ['person.enrolled', 'person.declined', 'person.deleted'],
});
const settings = { SVC_URL, SHOP_URL, SVC_EVENT_ID: eventId, SVC_LIST_ID: listId, SVC_WEBHOOK_SECRET: secret };
const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
await writeFile('.env', lines.join(''), { mode: 0o600 });
console.log(`event ${eventId}, list ${listId}`);

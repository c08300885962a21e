// A ticket shop's part: an event, its list, one guest enrolled from a photo, another by a guest link, one device for
// the door. node --import tsx packages/server-sdk/examples/door-list.ts portrait.jpg
import { readFile } from 'node:fs/promises';
import { createGuestLink, createSvcClient, isSvcApiError, type SvcClient } from '@svc/server-sdk';

export async function prepareDoor(client: SvcClient, photo: Uint8Array) {
  const startsAt = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const endsAt = new Date(Date.now() + 30 * 3_600_000).toISOString();
  const event = await client.createEvent({ name: 'Summer concert', startsAt, endsAt, country: 'DE' });
  await client.setWidgetSettings(event.eventId, {
    organiserName: 'Riverside Hall',
    privacyNoticeUrl: 'https://example.org/face-check-in-privacy',
  });
  const list = await client.createList({ name: 'Ticket holders', eventId: event.eventId });

  // The wording of list.consentVersion was shown, and the person ticked the boxes.
  const consent = {
    consentVersion: list.consentVersion,
    givenAt: new Date().toISOString(),
    explicitBiometricConsent: true,
    writtenRelease: true,
  } as const;
  const personId = 'T-8F3K2M9QXW4Z7B1C';
  try {
    await client.enrolPerson(list.listId, { personId, consent, image: photo }, { idempotencyKey: `enrol-${personId}` });
  } catch (error) {
    // 422: ask for a new photo. 402: the plan is full. Anything else is not the guest's to solve.
    if (!isSvcApiError(error) || error.status !== 422) throw error;
    process.stdout.write(`another photo, please: ${error.code}\n`);
  }

  const link = await createGuestLink(client, event.eventId, { ticketId: 'T-2B7D0Z', validForHours: 24 });
  const device = await client.addDevice(list.listId, { name: 'North gate' });

  const enrolled: string[] = [];
  for await (const person of client.listPeople(list.listId)) enrolled.push(person.personId);
  return { listId: list.listId, guestLink: link.url, deviceToken: device.token, enrolled };
}

if (process.argv[1] === import.meta.filename) {
  const client = createSvcClient({
    baseUrl: process.env.SVC_BASE_URL ?? 'http://127.0.0.1:3000',
    apiKey: process.env.SVC_API_KEY ?? '',
  });
  process.stdout.write(
    `${JSON.stringify(await prepareDoor(client, await readFile(process.argv[2] ?? 'portrait.jpg')))}\n`,
  );
}

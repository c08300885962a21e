import { equal, rejects } from 'node:assert/strict';
import { createSvcClient, isSvcConnectionError, type ListResource, type SvcClient } from '@svc/server-sdk';
import { testConsent, testPhoto } from '@svc/server-sdk/testing';

/** A well-formed key that belongs to nobody. */
const NO_KEY = 'svck_00000000000000000000000000000000000000000001eMryp';

async function listMembers(client: SvcClient): Promise<readonly string[]> {
  const list: ListResource = await client.createList({ name: 'Members', ongoing: true });
  const found: string[] = [];
  for await (const { personId } of client.listPeople(list.listId)) found.push(personId);
  return found;
}

export async function use(): Promise<void> {
  const { consentVersion } = testConsent('eu-v2');
  equal(`${consentVersion} ${Buffer.from(testPhoto('enrolled')).toString('base64', 0, 6)}`, 'eu-v2 iVBORw0K');
  const client = createSvcClient({ baseUrl: 'http://127.0.0.1:9', apiKey: NO_KEY, maxRetries: 0 });
  await rejects(listMembers(client), isSvcConnectionError);
}

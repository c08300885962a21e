import { createSvcClient } from '@svc/server-sdk';
import { photoOf, ticketOf } from '../support/guests.ts';
import type { UnpackedRelease } from './unpacked-release.ts';

/**
 * Makes an account, a key, a list and a device at its door with the `svc` of a running release, and enrols Anna.
 * @throws Error when any of it fails
 */
export async function enrolWith(release: Pick<UnpackedRelease, 'svc'>, url: string) {
  const svc = (...args: readonly string[]) => release.svc(args);
  const account = await svc('account', 'create', '--name', 'Trial', '--country', 'DE', '--plan', 'pilot');
  const client = createSvcClient({ baseUrl: url, apiKey: await svc('key', 'create', '--account', account) });
  const { listId } = await client.createList({ name: 'Members', ongoing: true });
  const deviceToken = await svc('device', 'add', '--account', account, '--list', listId, '--name', 'Door', '--no-qr');
  await client.enrolPerson(listId, {
    personId: ticketOf('anna'),
    image: await photoOf('anna'),
    consent: {
      ...{ consentVersion: 'eu-v2', givenAt: new Date().toISOString() },
      ...{ explicitBiometricConsent: true, writtenRelease: true },
    },
  });
  return { client, listId, deviceToken };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAdmin, readConfig, startApi } from '@svc/api';
import { removeDataDirectory } from '@svc/api/testing';
import type { Region } from '@svc/device-sdk';
import { engineRecipes } from '@svc/face-models';
import { DAY_MS } from '@svc/protocol';

/** The organiser's side of a running service: one account and one list, called over HTTP. */
export interface DemoService {
  readonly url: string;
  readonly region: Region;
  readonly folder: string;
  /** For new enrolments of the list. */
  engineId(): Promise<string>;
  /** @returns 201 or the problem's code */
  enrol(personId: string, photo: Uint8Array): Promise<string>;
  addDevice(): Promise<string>;
  /** A guest link for one ticket, of an event that begins tomorrow. */
  guestLink(ticketId: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts the API with its own PostgreSQL on a free port, and creates an account, its key and an ongoing list.
 * @param addOnDirectory folder of the add-on models; null for none
 * @param settings of the API, besides those of the demo
 */
export async function startDemoService(
  addOnDirectory: string | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
  const dataDirectory = join(folder, 'service');
  const removeAll = async () => {
    await removeDataDirectory(dataDirectory);
    await rm(folder, { recursive: true, force: true });
  };
  const config = readConfig({
    PORT: '0',
    SVC_DATA_DIR: dataDirectory,
    SVC_INFERENCE_WORKERS: '1',
    LOG_LEVEL: 'warn',
    // A folder that does not exist has no add-ons, whatever is installed on this machine.
    SVC_MODELS_DIR: addOnDirectory ?? join(folder, 'no-add-ons'),
    ...settings,
  });
  const api = await startApi(config).catch(async (error: unknown) => {
    await removeAll();
    throw error;
  });
  const admin = await openAdmin(config);
  const account = await admin.accounts.create({ name: 'Demo', country: 'DE', billingCurrency: 'EUR', plan: 'pilot' });
  const { apiKey } = await admin.keys.create(account.accountId, 'demo');
  const { signingKey } = admin.region();

  const post = async (path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  await untilReady(api.url);
  const list = await post('/v1/lists', { name: 'Demo', ongoing: true, country: 'DE' });

  return {
    url: api.url,
    region: { baseUrl: api.url, signingKeys: [signingKey] },
    folder,
    async engineId() {
      const { modelId } = list.body;
      return engineRecipes.find((recipe) => recipe.modelId === modelId)?.engineId ?? 'unknown';
    },
    async enrol(personId, photo) {
      const { status, body } = await post(`/v1/lists/${list.body.listId}/people`, {
        personId,
        imageBase64: Buffer.from(photo).toString('base64'),
        consent: {
          consentVersion: list.body.consentVersion,
          givenAt: new Date().toISOString(),
          explicitBiometricConsent: true,
          writtenRelease: true,
          under16: false,
        },
      });
      return status === 201 ? '201' : `${status} ${String(body.code)}`;
    },
    async addDevice() {
      const { body } = await post(`/v1/lists/${list.body.listId}/devices`, {});
      return String(body.token);
    },
    async guestLink(ticketId) {
      const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
      const event = await post('/v1/events', { name: 'Concert', startsAt: at(1), endsAt: at(2) });
      const { eventId } = event.body;
      await post(`/v1/events/${eventId}/widget`, {
        organiserName: 'Concert Hall',
        privacyNoticeUrl: 'https://organiser.example/privacy',
      });
      await post('/v1/lists', { name: 'Concert', eventId });
      const { body } = await post(`/v1/events/${eventId}/enrolment-tokens`, { ticketId, validForHours: 24 });
      return `${api.url.replace('127.0.0.1', 'localhost')}/widget/#${String(body.token)}`;
    },
    async close() {
      await admin.close();
      await api.close();
      await removeAll();
    },
  };
}

async function untilReady(url: string): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    if (response.ok) return;
    if (performance.now() > deadlineMs) throw new Error('the service did not become ready within two minutes');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

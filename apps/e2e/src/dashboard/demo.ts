/**
 * `npm run demo:dashboard`: a service whose account has a week of life, to look at in the dashboard.
 *
 *   npm run demo:dashboard -- [--guests N]
 *
 * `--guests`: enrolled guests of the event, default 2,000. Up to 200 rendered people share the tickets. Runs until
 * Ctrl-C; the data is removed then.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAdmin, readConfig, startApi } from '@svc/api';
import { freePort, removeDataDirectory } from '@svc/api/testing';
import { createSvcClient } from '@svc/server-sdk';
import { encodeJpeg, identitySeed, publishedIdentityCount, renderHead, renderScene } from '@svc/synthetic-faces';
import { openDoorway } from '../device/door.ts';
import { createMovedClock, type LifeStage, lifeBegin, live } from './account-life.ts';

/** Rendering a person takes longer than enrolling one. */
const GUESTS_PER_FACE = 5;

const say = (line: string) => process.stdout.write(`demo: ${line}\n`);

function guestsOf(text: string): number {
  const guests = Number(text);
  if (!Number.isInteger(guests) || guests < 5 || guests > 10_000)
    throw new Error('--guests is a number from 5 to 10000');
  return guests;
}

/** One photo for every few guests; in other light for one who has to try again. */
function createPhotos(guests: number) {
  const faces = Math.min(publishedIdentityCount, Math.ceil(guests / GUESTS_PER_FACE));
  const drawn = new Map<string, Promise<Uint8Array>>();
  return (person: number, nth: number): Promise<Uint8Array> => {
    const face = person % faces;
    const name = `${face} ${nth}`;
    const light = { azimuthDeg: (((face + nth) % 5) - 2) * 12 };
    const head = { seed: identitySeed(face), width: 640, height: 480, noiseSeed: face + nth * faces, light };
    const photo = drawn.get(name) ?? encodeJpeg(renderHead(head));
    drawn.set(name, photo);
    return photo;
  };
}

/** Receivers of webhooks: one that accepts, one that fails. */
async function startReceivers() {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(request.url === '/broken' ? 500 : 204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { good: `${url}/shop`, broken: `${url}/broken`, close: () => server.close() };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((argument) => argument !== '--'),
    options: { guests: { type: 'string', default: '2000' } },
  });
  const guests = guestsOf(values.guests);
  const begunMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-demo-'));
  const clock = createMovedClock(lifeBegin());
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const receivers = await startReceivers();
  const config = readConfig({
    PORT: String(await freePort()),
    SVC_DATA_DIR: join(folder, 'service'),
    SVC_MODELS_DIR: join(folder, 'no-add-ons'),
    LOG_LEVEL: 'warn',
    // All guests come from this machine, within minutes.
    SVC_RATE_LIMIT_API_KEY: '0',
    SVC_RATE_LIMIT_GUEST_TOKEN: '0',
    SVC_RATE_LIMIT_DEVICE: '0',
    SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS: '0',
    SVC_WEBHOOK_ALLOW: '127.0.0.0/8',
    SVC_WEBHOOK_PORTS: 'any',
    SVC_WEBHOOK_HTTP: 'on',
  });
  say('starting PostgreSQL and the service');
  const api = await startApi(config, { clock });
  const admin = await openAdmin(config, { clock });
  const doorway = await openDoorway();
  try {
    while (!(await fetch(`${api.url}/readyz`)).ok) await new Promise((done) => setTimeout(done, 100));
    const account = await admin.accounts.create({
      name: 'Riverside Hall',
      country: 'DE',
      billingCurrency: 'EUR',
      plan: { contract: 5_000 },
    });
    const { apiKey } = await admin.keys.create(account.accountId, 'demo');
    const photo = createPhotos(guests);
    const region = { baseUrl: api.url, signingKeys: admin.region().signingKeys };
    const stage: LifeStage = {
      client: createSvcClient({ baseUrl: api.url, apiKey }),
      url: api.url,
      clock,
      guests,
      atOnce: config.inferenceWorkers + 2,
      photo,
      unusablePhoto: await encodeJpeg(renderScene({ width: 480, height: 360, heads: [] })),
      async sync(deviceToken, name) {
        const device = await doorway.openDevice(deviceToken, region, name);
        try {
          const synced = await device.syncAsync();
          if (!synced.ok) throw new Error(`a door did not sync: ${JSON.stringify(synced)}`);
        } finally {
          await device.dispose();
        }
      },
      receivers,
      say,
    };
    await live(stage);
    const { invitationUrl } = await stage.client.inviteUser({
      name: 'Robin Example',
      email: 'robin@riverside-hall.example',
      role: 'owner',
    });
    say(`ready after ${((performance.now() - begunMs) / 1_000).toFixed(0)} s`);
    say(`the dashboard: ${invitationUrl} (works once, makes you an owner)`);
    say('stays up until Ctrl-C');
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
  } finally {
    say('stopping');
    await doorway.close();
    await admin.close();
    await api.close();
    receivers.close();
    await removeDataDirectory(join(folder, 'service'));
    await rm(folder, { recursive: true, force: true });
  }
}

await main();

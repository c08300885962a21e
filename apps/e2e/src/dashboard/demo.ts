/**
 * `npm run demo:dashboard`: a service whose account has a week of life, to look at in the dashboard.
 *
 *   npm run demo:dashboard -- [--guests N]
 *
 * `--guests`: enrolled guests of the event, default 2,000. Up to 200 rendered people share the tickets. Runs until
 * Ctrl-C; the data is removed then.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { encodeJpeg, identitySeed, publishedIdentityCount, renderHead, renderScene } from '@svc/synthetic-faces';
import { withPostgres } from '../support/service.ts';
import { startDashboardService } from './service.ts';

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
  return { good: `${url}/shop`, broken: `${url}/broken` };
}

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { guests: { type: 'string', default: '2000' } },
});
const guests = guestsOf(values.guests);
const begunMs = performance.now();
say('starting PostgreSQL and the service');
await withPostgres(async () => {
  const environment = {
    SVC_JOBS: 'on',
    SVC_INFERENCE_WORKERS: String(availableParallelism()),
    SVC_WEBHOOK_ALLOW: '127.0.0.0/8',
    SVC_WEBHOOK_PORTS: 'any',
    SVC_WEBHOOK_HTTP: 'on',
  };
  const service = await startDashboardService({ inference: 'models', environment });
  const receivers = await startReceivers();
  const unusablePhoto = await encodeJpeg(renderScene({ width: 480, height: 360, heads: [] }));
  const atOnce = availableParallelism() + 2;
  const account = await service.livedAccount(guests, {
    photo: createPhotos(guests),
    unusablePhoto,
    receivers,
    atOnce,
    say,
  });
  say(`ready after ${((performance.now() - begunMs) / 1_000).toFixed(0)} s`);
  say(`the dashboard: ${await account.invite('owner')} (works once, makes you an owner)`);
  say('stays up until Ctrl-C');
  await new Promise(() => {});
});

/**
 * `npm run demo:dashboard`: a service whose account has a week of life, to look at in the dashboard.
 *
 *   npm run demo:dashboard -- [--guests N]
 *
 * `--guests`: enrolled guests of the event, default 2,000, in whose tickets a few rendered people share. Runs until
 * Ctrl-C; the data is removed then.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { decodePhoto, restrictDecoders } from '@svc/api/decode-photo';
import { createInferenceInThread, listenOnLoopback } from '@svc/api/testing';
import type { EnrolResult } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { faceAnalysis } from '@svc/face-engine/testing';
import {
  encodeJpeg,
  identitySeed,
  publishedIdentityCount,
  type RenderedImage,
  renderHead,
  renderScene,
} from '@svc/synthetic-faces';
import { withPostgres } from '../support/service.ts';
import { startDashboardService } from './service.ts';

/** Drawing and measuring a person takes a quarter of a second, and the dashboard shows no face. */
const GUESTS_PER_PERSON = 50;

const say = (line: string) => process.stdout.write(`demo: ${line}\n`);

function guestsOf(text: string): number {
  const guests = Number(text);
  if (!Number.isInteger(guests) || guests < 5 || guests > 10_000)
    throw new Error('--guests is a number from 5 to 10000');
  return guests;
}

/**
 * Draws people and measures each photo once, with the base engine. People whose photo cannot be enrolled are left out.
 * @returns photos, and what examines them: a photo that was measured has its result at once, any other is measured
 */
async function drawPeople(count: number) {
  restrictDecoders();
  const { engine } = await createNodeFaceEngine({ addOnDirectory: null, passiveModel: null });
  const measured = new Map<string, EnrolResult>();
  const digestOf = (photo: Uint8Array) => createHash('sha256').update(photo).digest('hex');
  async function measure(picture: RenderedImage) {
    const photo = await encodeJpeg(picture);
    const result = await engine.enrol(picture);
    measured.set(digestOf(photo), result);
    return { photo, ok: result.ok };
  }
  const photos: Uint8Array[] = [];
  let identity = 0;
  for (; photos.length < count && identity < publishedIdentityCount; identity += 1) {
    const { photo, ok } = await measure(renderHead({ seed: identitySeed(identity), width: 640, height: 480 }));
    if (ok) photos.push(photo);
  }
  say(`${photos.length} people drawn; ${identity - photos.length} more could not be enrolled and are left out`);

  const examiner = {
    engine: {
      core: engine.core,
      recipes: engine.recipes,
      async enrol(...[image, options]: Parameters<typeof engine.enrol>): Promise<EnrolResult> {
        if (!('result' in image)) return engine.enrol(image, options);
        const result = image.result as EnrolResult;
        return result.ok ? { ...result, reference: result.reference.slice(), analysis: faceAnalysis() } : result;
      },
    },
    async decode(photo: Uint8Array) {
      const result = measured.get(digestOf(photo));
      return result
        ? { result, data: new Uint8Array(3), width: 1, height: 1, channels: 3 as const }
        : decodePhoto(photo);
    },
    looksLive: () => Promise.resolve(true),
  };
  const { photo: unusablePhoto } = await measure(renderScene({ width: 480, height: 360, heads: [] }));
  return { photos, unusablePhoto, inference: () => createInferenceInThread(() => examiner) };
}

/** Receivers of webhooks: one that accepts, one that fails. */
async function startReceivers() {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(request.url === '/broken' ? 500 : 204).end());
  });
  const { url } = await listenOnLoopback(server);
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
  const { photos, unusablePhoto, inference } = await drawPeople(Math.ceil(guests / GUESTS_PER_PERSON));
  const environment = {
    SVC_JOBS: 'on',
    SVC_WEBHOOK_ALLOW: '127.0.0.0/8',
    SVC_WEBHOOK_PORTS: 'any',
    SVC_WEBHOOK_HTTP: 'on',
  };
  const service = await startDashboardService({ inference, environment });
  const receivers = await startReceivers();
  const photo = (person: number) => Promise.resolve(photos[person % photos.length] ?? unusablePhoto);
  const atOnce = availableParallelism() + 2;
  const account = await service.livedAccount(guests, { photo, unusablePhoto, receivers, atOnce, say });
  say(`ready after ${((performance.now() - begunMs) / 1_000).toFixed(0)} s`);
  say(`the dashboard: ${await account.invite('owner')} (works once, makes you an owner)`);
  say('stays up until Ctrl-C');
  await new Promise(() => {});
});

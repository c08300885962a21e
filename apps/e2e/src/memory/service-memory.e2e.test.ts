import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePhoto } from '@svc/api/decode-photo';
import { createTestDatabase, requestJson } from '@svc/api/testing';
import { type Program, startProgram } from '@svc/benchmarks/inputs/program';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { encodeJpeg, renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { enrolBody } from '../support/service.ts';
import { type Needle, numberNeedles, searchProcess } from './needles.ts';
import type { ServiceProcess } from './service-process.ts';

const hasProcfs = existsSync('/proc/self/maps');
if (!hasProcfs) process.stdout.write('searching the service’s memory: skipped: no /proc\n');

const ENROLMENTS = 8;
const LIMIT_MS = 900_000;
/** Searched in pieces of 32 bytes: any 64 bytes contain a whole one. */
const ELEMENT_BYTES = 4;
/** Neighbouring rows of a picture, one of each group is searched. */
const ROWS = 4;
const [WIDTH, HEIGHT] = [640, 480];

interface Guest {
  readonly personId: string;
  readonly body: string;
  readonly needles: readonly Needle[];
}

describe.skipIf(!hasProcfs)('what the service holds in memory', { timeout: LIMIT_MS }, () => {
  let root: string;
  let apiKey: string;
  let listId: string;
  let program: Program<ServiceProcess>;
  let url: string;
  let guests: readonly Guest[];

  /** Excludes single-colour background, which occurs in every picture. */
  const isTelling = (bytes: Uint8Array) => new Set(bytes).size >= 12;

  /** Parts that several photos share, such as the encoder's tables, are in the decoder too. */
  const seen = new Map<string, number>();

  /** Every distinctive piece of some bytes, as one needle. */
  function needleOf(name: string, bytes: Uint8Array): Needle {
    const length = 8 * ELEMENT_BYTES;
    const pieces: Uint8Array[] = [];
    for (let at = 0; at + length <= bytes.length; at += length) {
      const piece = bytes.subarray(at, at + length);
      if (!isTelling(piece)) continue;
      const key = Buffer.from(piece).toString('latin1');
      seen.set(key, (seen.get(key) ?? 0) + 1);
      pieces.push(piece);
    }
    return { name, bytes: Buffer.concat(pieces), elementBytes: ELEMENT_BYTES };
  }

  /** Removes the pieces that others contain too. */
  function ownOf({ name, bytes, elementBytes }: Needle): Needle {
    if (elementBytes !== ELEMENT_BYTES || name.startsWith('template')) return { name, bytes, elementBytes };
    const length = 8 * ELEMENT_BYTES;
    const own: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += length) {
      const piece = bytes.subarray(at, at + length);
      if (seen.get(Buffer.from(piece).toString('latin1')) === 1) own.push(piece);
    }
    return { name, bytes: Buffer.concat(own), elementBytes };
  }

  function pixelNeedle(
    name: string,
    { data, width, height }: { data: Uint8Array; width: number; height: number },
  ): Needle {
    const rows: Uint8Array[] = [];
    for (let y = 0; y < height; y += ROWS) rows.push(data.subarray(y * width * 3, (y + 1) * width * 3));
    return needleOf(name, Buffer.concat(rows));
  }

  async function prepareGuests(): Promise<Guest[]> {
    const { engine } = await createNodeFaceEngine({ addOnDirectory: null, passiveModel: null });
    const made: Guest[] = [];
    for (let i = 0; i < ENROLMENTS; i += 1) {
      const photo = await encodeJpeg(renderHead({ seed: 900 + i, width: WIDTH, height: HEIGHT, noiseSeed: i }));
      const pixels = await decodePhoto(new Uint8Array(photo));
      if ('reason' in pixels) throw new Error(pixels.detail);
      const enrolled = await engine.enrol(pixels, { engineId: engine.engineId });
      if (!enrolled.ok) throw new Error(`a photo that is refused: ${enrolled.reason}`);
      const personId = `guest-${i}-c41e7a9d03f2`;
      const body = JSON.stringify(enrolBody(personId, photo));
      const text = Buffer.from(Buffer.from(photo).toString('base64'));
      const needles = [
        needleOf('base64', text),
        needleOf('photo', photo),
        pixelNeedle('pixels', pixels),
        ...numberNeedles('template', enrolled.reference),
      ];
      made.push({ personId, body, needles });
    }
    return made.map((guest) => ({ ...guest, needles: guest.needles.map(ownOf) }));
  }

  const headers = () => ({ 'X-Api-Key': apiKey, 'Content-Type': 'application/json' });
  const path = () => `/v1/lists/${listId}/people`;

  const enrol = async ({ body }: Guest) =>
    (await requestJson(`${url}${path()}`, { method: 'POST', headers: headers(), body })).status;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-service-memory-'));
    guests = await prepareGuests();
    // Same settings as `npm start`: glibc overwrites what the image library frees.
    const env = { ...process.env, MALLOC_PERTURB_: '165' };
    program = startProgram<ServiceProcess>(new URL('service-process.ts', import.meta.url), { env });
    ({ url, apiKey } = await program.ask('start', {
      ...{ PORT: '0', SVC_JOBS: 'off', SVC_INFERENCE_WORKERS: '1', SVC_DATA_DIR: join(root, 'data') },
      ...{ SVC_MODELS_DIR: join(root, 'models'), DATABASE_URL: await createTestDatabase(inject('postgres')) },
    }));
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).ok, { timeout: 120_000, interval: 100 });
    const body = JSON.stringify({ name: 'Members', ongoing: true });
    const created = await requestJson<{ listId: string }>(`${url}/v1/lists`, {
      method: 'POST',
      headers: headers(),
      body,
    });
    expect(created.status).toBe(201);
    ({ listId } = created.body);
  }, LIMIT_MS);

  afterAll(async () => {
    await program?.stop();
    await rm(root, { recursive: true, force: true });
  }, LIMIT_MS);

  async function search(needles: readonly Needle[]) {
    const { bytes, found } = await searchProcess(program.pid, needles);
    expect(bytes).toBeGreaterThan(50 * 2 ** 20);
    return found;
  }

  /** A request without its final brace; blanks follow, so that it does not time out. @returns closes the connection */
  async function begin({ body }: Guest): Promise<() => void> {
    const { hostname, port } = new URL(url);
    const sent = httpRequest({
      ...{ hostname, port, method: 'POST', path: path() },
      headers: { ...headers(), 'Transfer-Encoding': 'chunked', Expect: '100-continue' },
    });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.write(body.slice(0, -1));
    const drip = setInterval(() => sent.write(' '.repeat(1_024)), 100);
    return () => {
      clearInterval(drip);
      sent.destroy();
    };
  }

  it('has no piece of a photo’s text, bytes or pixels and no template after enrolment', async () => {
    const [first] = guests;
    if (first === undefined) throw new Error('no guest');
    // A control without planting: while a photo arrives, its text is in memory.
    const hangUp = await begin(first);
    const texts = first.needles.filter(({ name }) => name === 'base64');
    await expect.poll(() => search(texts), { timeout: 120_000 }).toEqual(['base64']);
    hangUp();
    for (let i = 0; i < guests.length; i += 4) {
      const statuses = await Promise.all(guests.slice(i, i + 4).map(enrol));
      expect(statuses).toEqual(statuses.map(() => 201));
    }
    const needles = guests.flatMap((guest) => guest.needles);
    expect(await search(needles)).toEqual([]);

    const planted = first.needles.map(({ bytes }) => Buffer.from(bytes.subarray(0, 64)).toString('hex'));
    await program.ask('plant', planted);
    expect(new Set(await search(needles))).toEqual(new Set(first.needles.map(({ name }) => name)));
  });
});

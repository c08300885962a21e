import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import { requestJson } from '@svc/api/testing';
import type { WidgetSession } from '@svc/protocol';
import type { BenchService } from './start-service.ts';

const SLOW_CONNECTIONS_OF_ONE_TOKEN = 5;
const SLOW_GUESTS = 9;
const GUESTS_WITH_THE_PNG = 3;
/** Of a body of about 400 KB: a photo over a slow mobile network. */
const SLOW_BYTES = 512;
const SLOW_EVERY_MS = 250;
const BODY_BYTES = 400_000;
const ATTEMPTS = 5;

/** A chunk of PNG (RFC 2083 section 3.2). */
function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** A complete, valid PNG of black pixels: about 95 KiB for 1 × 50,000,000. */
export function blackPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((width + 1) * height), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = pngChunk('IEND', Buffer.alloc(0));
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', rows), end]);
}

/** Guests who load the service: some send slowly, some send a picture that is expensive to decode. */
export interface HinderingGuests {
  /**
   * Starts them. Resolves when all slow requests are accepted and the others have begun. @returns a function that ends
   * them
   */
  begin(): Promise<() => Promise<void>>;
  /** Answers so far to the guests with the PNG, by status. */
  readonly answers: ReadonlyMap<number, number>;
}

export async function createHinderingGuests(service: BenchService, pixels: number): Promise<HinderingGuests> {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const { eventId } = await service.call<{ eventId: string }>('POST', '/v1/events', {
    ...{ name: 'Bench', startsAt: at(-1), endsAt: at(48) },
  });
  const settings = { organiserName: 'Bench', privacyNoticeUrl: 'https://example.org/privacy' };
  await service.call('POST', `/v1/events/${eventId}/widget`, settings);
  await service.call('POST', '/v1/lists', { name: 'Guests', eventId });
  let tickets = 0;
  async function newToken(): Promise<string> {
    tickets += 1;
    const path = `/v1/events/${eventId}/enrolment-tokens`;
    return (await service.call<{ token: string }>('POST', path, { ticketId: `ticket-${tickets}` })).token;
  }
  const imageBase64 = blackPng(1, pixels).toString('base64');
  const headersOf = (token: string) => ({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' });
  const answers = new Map<number, number>();

  /**
   * Sends a body that never ends. Resolves once the server asks for it, or refuses it because the token has one
   * already.
   */
  async function slow(token: string): Promise<() => void> {
    const { hostname, port } = new URL(service.url);
    const headers = { ...headersOf(token), 'Content-Length': BODY_BYTES, Expect: '100-continue' };
    const path = '/v1/widget/enrolments';
    const sent: ClientRequest = httpRequest({ hostname, port, method: 'POST', path, headers, agent: false });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    await Promise.race([once(sent, 'continue'), once(sent, 'response')]);
    const drip = setInterval(() => sent.write(Buffer.alloc(SLOW_BYTES, ' ')), SLOW_EVERY_MS);
    return () => {
      clearInterval(drip);
      sent.destroy();
    };
  }

  /** Sends the same picture repeatedly, with a new token when one has no attempts left. */
  async function insist(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const token = await newToken();
      const session = await requestJson<WidgetSession>(`${service.url}/v1/widget/session`, {
        headers: headersOf(token),
      });
      const { consentVersion, language, wordingSha256 } = session.body;
      const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
      const body = JSON.stringify({ consent, language, wordingSha256, imageBase64 });
      for (let attempt = 0; attempt < ATTEMPTS && !isOver(); attempt += 1) {
        const sent = { method: 'POST', headers: headersOf(token), body };
        const { status } = await requestJson(`${service.url}/v1/widget/enrolments`, sent);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    }
  }

  return {
    answers,
    async begin() {
      const one = await newToken();
      const tokens = [...Array<string>(SLOW_CONNECTIONS_OF_ONE_TOKEN).fill(one)];
      for (let i = 0; i < SLOW_GUESTS; i += 1) tokens.push(await newToken());
      const ends = await Promise.all(tokens.map(slow));
      let over = false;
      const insisting = Array.from({ length: GUESTS_WITH_THE_PNG }, () => insist(() => over));
      return async () => {
        over = true;
        for (const end of ends) end();
        await Promise.all(insisting);
      };
    },
  };
}

import { randomUUID } from 'node:crypto';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import sharp from 'sharp';
import type { RawAnswer, RawClient } from './raw-client.ts';
import type { BenchService } from './start-service.ts';

const rendered = { width: 640, height: 480 };
const sent = { width: 1280, height: 960 };

/** Portraits in a phone's format, each of another person: JPEG, 1280×960, about 300 KB. */
export async function portraits(count: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const photos: Uint8Array<ArrayBuffer>[] = [];
  for (let i = 0; i < count; i += 1) {
    const { data, width, height } = renderHead({ seed: identitySeed(i), ...rendered });
    const picture = sharp(data, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .resize(sent);
    photos.push(Uint8Array.from(await picture.jpeg({ quality: 94 }).toBuffer()));
  }
  return photos;
}

/** Enrolments in the form of an organiser's server; the photos are encoded once. */
export interface Enrolments {
  /** Enrols a new person, by default in the list of {@link createEnrolments}. */
  send(client: RawClient, turn: number, listId?: string): Promise<RawAnswer & { readonly personId: string }>;
}

const consent = {
  consentVersion: 'eu-v2',
  explicitBiometricConsent: true,
  writtenRelease: true,
  under16: false,
  guardianConsent: false,
};

export function createEnrolments(service: BenchService, listId: string, photos: readonly Uint8Array[]): Enrolments {
  const givenAt = new Date().toISOString();
  const tails = photos.map((photo) =>
    Buffer.from(
      `,"consent":${JSON.stringify({ ...consent, givenAt })},"imageBase64":"${Buffer.from(photo).toString('base64')}"}`,
    ),
  );
  const headOf = (list: string) =>
    `POST /v1/lists/${list}/people HTTP/1.1\r\nHost: bench\r\nX-Api-Key: ${service.apiKey}\r\nContent-Type: application/json\r\n`;
  return {
    async send(client, turn, list = listId) {
      const personId = randomUUID();
      const start = `{"personId":"${personId}"`;
      const tail = tails[turn % tails.length] ?? Buffer.alloc(0);
      const answer = await client.send(
        `${headOf(list)}Content-Length: ${start.length + tail.length}\r\n\r\n${start}`,
        tail,
      );
      return { ...answer, personId };
    },
  };
}

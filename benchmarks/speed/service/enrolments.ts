import { randomUUID } from 'node:crypto';
import type { RawAnswer, RawClient } from './raw-client.ts';
import type { BenchService } from './start-service.ts';

/** Enrolments as an organiser's server sends them; the photos' text is made once. */
export interface Enrolments {
  /** Enrols somebody new. */
  send(client: RawClient, turn: number): Promise<RawAnswer & { readonly personId: string }>;
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
  const head = `POST /v1/lists/${listId}/people HTTP/1.1\r\nHost: bench\r\nX-Api-Key: ${service.apiKey}\r\nContent-Type: application/json\r\n`;
  return {
    async send(client, turn) {
      const personId = randomUUID();
      const start = `{"personId":"${personId}"`;
      const tail = tails[turn % tails.length] ?? Buffer.alloc(0);
      const answer = await client.send(`${head}Content-Length: ${start.length + tail.length}\r\n\r\n${start}`, tail);
      return { ...answer, personId };
    },
  };
}

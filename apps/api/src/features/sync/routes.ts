import {
  ATTENDANCES_HEADER,
  attendancesHeaderSchema,
  DEVICE_KEY_HEADER,
  ENGINES_HEADER,
  enginesHeaderSchema,
  NONCE_HEADER,
  nonceHeaderSchema,
  PAYLOADS_HEADER,
  payloadsHeaderSchema,
  SDK_VERSION_HEADER,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
  sdkVersionHeaderSchema,
  syncCounterHeaderSchema,
} from '@svc/protocol';
import type { Request, Response } from 'express';
import { hasForm } from '../../http/answer.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import type { SyncAnswer } from './answer.ts';
import { readDeviceKey } from './device-key.ts';
import type { SyncService } from './service.ts';
import type { PackParts } from './snapshot.ts';
import type { DeviceSoftware } from './store.ts';

/** @throws ServiceError 'nonce-invalid' */
export function readNonce(header: string | undefined): string {
  const nonce = nonceHeaderSchema.safeParse(header);
  if (!nonce.success) throw new ServiceError('nonce-invalid');
  return nonce.data;
}

/** Null when the device sends none. @throws ServiceError 'invalid-request' */
function readCounter(header: string | undefined): number | null {
  if (header === undefined) return null;
  const counter = syncCounterHeaderSchema.safeParse(header);
  if (counter.success) return counter.data;
  throw new ServiceError('invalid-request', { detail: `${SYNC_COUNTER_HEADER} must be a whole number from 0` });
}

/** A header that is missing or of another shape does not fail the sync, and tells nothing. */
function readSoftware(request: Request): DeviceSoftware {
  const sdkVersion = sdkVersionHeaderSchema.safeParse(request.get(SDK_VERSION_HEADER));
  const engineIds = enginesHeaderSchema.safeParse(request.get(ENGINES_HEADER));
  const attendances = attendancesHeaderSchema.safeParse(request.get(ATTENDANCES_HEADER));
  return {
    sdkVersion: sdkVersion.data ?? null,
    engineIds: engineIds.data ?? [],
    attendances: attendances.data ?? [],
  };
}

const lengthOf = (payload: PackParts): number => payload.reduce((sum, part) => sum + part.length, 0);

/**
 * Sends the envelope and calls `sent` when the operating system has the last byte. The `finish` event is not enough: it
 * also occurs when the device disconnected, as does a write's callback, without an error, on a destroyed socket. Waits
 * for each part: what a slow device has not taken yet stays shared with other answers.
 */
async function send(response: Response, { envelopeHead, payload, sent }: SyncAnswer): Promise<void> {
  const { socket } = response;
  response.set('Content-Length', String(envelopeHead.length + lengthOf(payload)));
  const gone = new Promise<false>((resolve) => response.once('close', () => resolve(false)));
  const write = (part: Uint8Array) =>
    new Promise<boolean>((resolve) => {
      response.write(part, (error) => resolve(!error && socket?.destroyed === false));
    });
  // Node sends what is written in one turn together: the head with a small payload in one packet.
  let written = write(envelopeHead);
  // Refers to the list's parts to the end, so that the next version can take over what is still being sent.
  for (const [i, part] of payload.entries()) {
    if (part.length === 0) continue;
    if (i > 0 && !(await Promise.race([written, gone]))) return;
    written = write(part);
  }
  response.end();
  if (await Promise.race([written, gone])) sent();
}

export const syncHandlers = (o: {
  readonly sync: SyncService;
  /** Counts a request for a payload. @throws ServiceError 'rate-limited' */
  readonly countFetch: (request: Request) => Promise<void>;
}) =>
  ({
    async getPayload({ request, response, params, query }) {
      await o.countFetch(request);
      const etag = `"${params.payloadSha256}"`;
      const isKnown = hasForm(request, etag);
      const needsBytes = !isKnown && request.method !== 'HEAD';
      const linked = { ...query, ...params };
      const { payload, maxAgeSeconds } = await o.sync.payload(request.originalUrl, linked, needsBytes);
      response.set('Cache-Control', `public, max-age=${maxAgeSeconds}, immutable`).set('ETag', etag);
      if (!isKnown) response.set('Content-Type', 'application/octet-stream');
      if (needsBytes) await send(response, { envelopeHead: new Uint8Array(), payload, sent: () => undefined });
      else response.status(isKnown ? 304 : 200).end();
      return undefined;
    },
    async syncDevice(call) {
      const { caller, request, response } = call;
      if (request.method === 'HEAD') {
        // HEAD is not allowed: it would pin a key and count as a sync.
        response.setHeader('Allow', 'GET');
        throw new ServiceError('method-not-allowed');
      }
      const { since } = call.query;
      const deviceKey = readDeviceKey(request.get(DEVICE_KEY_HEADER));
      const nonce = readNonce(request.get(NONCE_HEADER));
      const counter = readCounter(request.get(SYNC_COUNTER_HEADER));
      const software = readSoftware(request);
      const payloads = payloadsHeaderSchema.safeParse(request.get(PAYLOADS_HEADER)).data ?? null;
      response.set('Content-Type', SYNC_MEDIA_TYPE);
      await send(response, await o.sync.sync(caller, { deviceKey, nonce, since, counter, software, payloads }));
      return undefined;
    },
  }) satisfies Partial<Handlers>;

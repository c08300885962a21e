import {
  DEVICE_KEY_HEADER,
  ENGINES_HEADER,
  enginesHeaderSchema,
  NONCE_HEADER,
  nonceHeaderSchema,
  SDK_VERSION_HEADER,
  SYNC_COUNTER_HEADER,
  SYNC_MEDIA_TYPE,
  sdkVersionHeaderSchema,
  syncCounterHeaderSchema,
} from '@svc/protocol';
import type { Request, Response } from 'express';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import type { SyncAnswer } from './answer.ts';
import { readDeviceKey } from './device-key.ts';
import type { SyncService } from './service.ts';
import type { DeviceSoftware } from './store.ts';

/** @throws ServiceError 'nonce-invalid' */
function readNonce(header: string | undefined): string {
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

/** For display alone: a header that is missing or of another shape does not fail the sync. */
function readSoftware(request: Request): DeviceSoftware {
  const sdkVersion = sdkVersionHeaderSchema.safeParse(request.get(SDK_VERSION_HEADER));
  const engineIds = enginesHeaderSchema.safeParse(request.get(ENGINES_HEADER));
  return { sdkVersion: sdkVersion.data ?? null, engineIds: engineIds.data ?? [] };
}

/**
 * Sends the envelope and calls `sent` when the operating system has the last byte. The `finish` event is not enough: it
 * also occurs when the device disconnected, as does a write's callback, without an error, on a destroyed socket.
 */
function send(response: Response, { envelopeHead, payload, sent }: SyncAnswer): void {
  const { socket } = response;
  const onWritten = (error?: Error | null) => {
    if (!error && socket?.destroyed === false) sent();
  };
  response.set('Content-Type', SYNC_MEDIA_TYPE);
  response.set('Content-Length', String(envelopeHead.length + payload.length));
  if (payload.length === 0) {
    response.write(envelopeHead, onWritten);
  } else {
    response.write(envelopeHead);
    response.write(payload, onWritten);
  }
  response.end();
}

export const syncHandlers = (o: { readonly sync: SyncService }) =>
  ({
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
      send(response, await o.sync.sync(caller, { deviceKey, nonce, since, counter, software }));
      return undefined;
    },
  }) satisfies Partial<Handlers>;

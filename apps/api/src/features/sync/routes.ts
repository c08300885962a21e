import {
  DEVICE_KEY_HEADER,
  NONCE_HEADER,
  nonceHeaderSchema,
  SYNC_MEDIA_TYPE,
  SYNC_PATH,
  syncQuerySchema,
} from '@svc/protocol';
import type { Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { bearerOf } from '../../http/credentials.ts';
import { readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { SyncAnswer } from './answer.ts';
import { readDeviceKey } from './device-key.ts';
import type { SyncService } from './service.ts';

/** @throws ServiceError 'nonce-invalid' */
function readNonce(header: string | undefined): string {
  const nonce = nonceHeaderSchema.safeParse(header);
  if (!nonce.success) throw new ServiceError('nonce-invalid');
  return nonce.data;
}

function send(response: Response, answer: SyncAnswer): void {
  response.on('finish', () => answer.sent());
  response.set('Content-Type', SYNC_MEDIA_TYPE);
  response.set('Content-Length', String(answer.envelopeHead.length + answer.payload.length));
  response.write(answer.envelopeHead);
  response.end(answer.payload);
}

export function mountSync(router: Router, o: { readonly sync: SyncService }): void {
  mount(router, SYNC_PATH, {
    async get(request, response) {
      if (request.method === 'HEAD') {
        // Half an answer would pin a key and count as a sync.
        response.setHeader('Allow', 'GET');
        throw new ServiceError('method-not-allowed');
      }
      const caller = await o.sync.authenticate(bearerOf(request, 'svcd'));
      const { since } = readQuery(request, syncQuerySchema);
      const deviceKey = readDeviceKey(request.get(DEVICE_KEY_HEADER));
      const nonce = readNonce(request.get(NONCE_HEADER));
      send(response, await o.sync.sync(caller, { deviceKey, nonce, since }));
    },
  });
}

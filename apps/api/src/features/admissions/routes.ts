import { NONCE_HEADER, SIGNATURE_HEADER, SYNC_MEDIA_TYPE, signatureHeaderSchema } from '@svc/protocol';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import { readNonce } from '../sync/routes.ts';
import type { AdmissionService } from './service.ts';

export const admissionHandlers = (o: { readonly admissions: AdmissionService }) =>
  ({
    async exchangeAdmissions({ caller, request, response, body }) {
      const nonce = readNonce(request.get(NONCE_HEADER));
      const signature = signatureHeaderSchema.safeParse(request.get(SIGNATURE_HEADER));
      if (!signature.success) throw new ServiceError('invalid-credential');
      const envelope = await o.admissions.exchange(caller, nonce, signature.data, body);
      response.set('Content-Type', SYNC_MEDIA_TYPE).end(envelope);
    },
  }) satisfies Partial<Handlers>;

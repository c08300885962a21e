import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CONSENT_LEDGER_MEDIA_TYPE, type ConsentRecordResource, consentQuerySchema } from '@svc/protocol';
import type { Request, Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import type { Guard } from '../../http/guard.ts';
import { readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { ConsentLedger, LedgerRecord } from './ledger.ts';

const toResource = ({ consent, place }: LedgerRecord): ConsentRecordResource => ({
  ...consent,
  seq: place?.seq ?? null,
  entryHash: place?.entryHash.toString('hex') ?? null,
});

function wantsExport(request: Request): boolean {
  return request.accepts(['application/json', CONSENT_LEDGER_MEDIA_TYPE]) === CONSENT_LEDGER_MEDIA_TYPE;
}

/** Sends chunks as fast as they are taken. A failure on the way cuts the connection: the last line is missing, which verifying notices. */
async function sendChunks(response: Response, chunks: AsyncGenerator<Buffer>): Promise<void> {
  const first = await chunks.next();
  if (first.done === true) return;
  response.setHeader('Content-Type', CONSENT_LEDGER_MEDIA_TYPE);
  response.write(first.value);
  // The caller may leave before the end: that is no failure of ours, and there is nobody to tell.
  await pipeline(Readable.from(chunks, { objectMode: false }), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

export function mountConsents(
  router: Router,
  o: { readonly ledger: ConsentLedger; readonly account: Guard<AccountCaller> },
): void {
  mount(router, '/v1/consents', {
    get: o.account.call(async ({ caller: { accountId }, request, response }) => {
      const query = readQuery(request, consentQuerySchema);
      response.vary('Accept');
      if (!wantsExport(request)) {
        const { items, nextCursor } = await o.ledger.page(accountId, query);
        response.json({ items: items.map(toResource), nextCursor });
        return;
      }
      if (query.personId !== undefined) {
        const detail = 'must be absent from an export: a chain is exported whole';
        throw new ServiceError('invalid-request', { errors: [{ parameter: 'personId', detail }] });
      }
      if (request.method === 'HEAD') response.type(CONSENT_LEDGER_MEDIA_TYPE).end();
      else await sendChunks(response, o.ledger.export(accountId, query.listId));
    }),
  });
}

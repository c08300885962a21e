import { CONSENT_LEDGER_MEDIA_TYPE } from '@svc/protocol';
import type { Request, Response } from 'express';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import type { ConsentLedger } from './ledger.ts';

function wantsExport(request: Request): boolean {
  return request.accepts(['application/json', CONSENT_LEDGER_MEDIA_TYPE]) === CONSENT_LEDGER_MEDIA_TYPE;
}

/** Resolves when the response accepts more data, or is closed. */
function untilDrained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}

/**
 * Sends chunks with backpressure. A failure in between closes the connection, so that the last line is missing, which
 * verification notices.
 */
async function sendExport(response: Response, chunks: AsyncGenerator<Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    // The caller may have disconnected; a destroyed response never drains.
    if (response.destroyed) return;
    if (!response.headersSent) response.setHeader('Content-Type', CONSENT_LEDGER_MEDIA_TYPE);
    if (!response.write(chunk)) await untilDrained(response);
  }
  response.end();
}

export const consentHandlers = (o: { readonly ledger: ConsentLedger }) =>
  ({
    async listConsents({ caller: { accountId }, query, request, response }) {
      response.vary('Accept');
      if (!wantsExport(request)) return o.ledger.page(accountId, query);
      if (query.personId !== undefined) {
        const detail = 'is not allowed in an export: a chain is always exported whole';
        throw new ServiceError('invalid-request', { errors: [{ parameter: 'personId', detail }] });
      }
      if (request.method === 'HEAD') response.type(CONSENT_LEDGER_MEDIA_TYPE).end();
      else await sendExport(response, o.ledger.export(accountId, query.listId));
      return undefined;
    },
  }) satisfies Partial<Handlers>;

import type { ConsentLedgerLine, ConsentRecordResource, ConsentVersion, PublishedWordingResource } from '@svc/protocol';
import { SvcConnectionError } from '../errors.ts';
import { type CallOptions, type Http, pathOf } from '../http.ts';
import { readLines } from '../lines.ts';
import type { Collection, PageRequest } from '../pages.ts';

/** Which part of the ledger. */
export interface ConsentFilter {
  readonly listId?: string | undefined;
  readonly personId?: string | undefined;
}

export interface ConsentMethods {
  /** Who consented to which wording when, and until when; also after the list is deleted. */
  listConsents(query?: PageRequest & ConsentFilter, options?: CallOptions): Collection<ConsentRecordResource>;
  /**
   * The whole ledger, line by line as it comes, with what `svc consents verify` needs.
   * There is no limit to how long it takes: `timeoutMs` is for each wait for more of it.
   * @throws SvcConnectionError 'unrecognised-answer' where it ends early or is none of the service's: an export without its last line is none;
   * 'connection-failed' or 'timed-out' in its middle. It is not taken up again: begin anew.
   */
  exportConsents(query?: ConsentFilter, options?: CallOptions): AsyncGenerator<ConsentLedgerLine, void, undefined>;
  /** What to show a person before the boxes are ticked; in English where the language is not offered. */
  getConsentWording(
    consentVersion: ConsentVersion,
    query?: { readonly language?: string | undefined },
    options?: CallOptions,
  ): Promise<PublishedWordingResource>;
}

function parseLine(line: string): ConsentLedgerLine {
  try {
    return JSON.parse(line) as ConsentLedgerLine;
  } catch {
    // Without the cause: its message quotes the line.
    throw new SvcConnectionError('unrecognised-answer');
  }
}

async function* readLedger(http: Http, query: ConsentFilter = {}, options?: CallOptions) {
  const accept = 'application/x-ndjson';
  const body = await http.stream({ method: 'GET', path: '/v1/consents', query: { ...query }, accept, options });
  let isWhole = false;
  for await (const line of readLines(body)) {
    const parsed = parseLine(line);
    isWhole = parsed.type === 'end';
    yield parsed;
  }
  if (!isWhole) throw new SvcConnectionError('unrecognised-answer');
}

export const consentMethods = (http: Http): ConsentMethods => ({
  listConsents: (query, options) => http.collection('/v1/consents', query, options),
  exportConsents: (query, options) => readLedger(http, query, options),
  getConsentWording: (consentVersion, query, options) =>
    http.json({ method: 'GET', path: pathOf`/v1/consent-wordings/${consentVersion}`, query: { ...query }, options }),
});

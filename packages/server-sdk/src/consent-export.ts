import type { ConsentLedgerLine } from '@svc/protocol';
import { organiserEndpoints } from '@svc/protocol/endpoints';
import { SvcConnectionError } from './errors.ts';
import type { CallOptions, Http } from './http.ts';

/** Selects a part of the ledger. */
export interface ConsentFilter {
  readonly listId?: string | undefined;
  readonly personId?: string | undefined;
}

/**
 * Lines of a UTF-8 body without their line ends; an unterminated last line is dropped.
 * @throws SvcConnectionError 'unrecognised-answer' when the body is not UTF-8
 */
async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of body) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new SvcConnectionError('unrecognised-answer', { cause });
    }
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function parseLine(line: string): ConsentLedgerLine {
  try {
    return JSON.parse(line) as ConsentLedgerLine;
  } catch {
    // No `cause`: its message quotes the line.
    throw new SvcConnectionError('unrecognised-answer');
  }
}

/** The lines of a ledger export. @throws SvcConnectionError as in `SvcClient.exportConsents` */
export async function* readLedger(
  http: Http,
  query: ConsentFilter = {},
  options?: CallOptions,
): AsyncGenerator<ConsentLedgerLine, void, undefined> {
  const accept = 'application/x-ndjson';
  const body = await http.stream({
    method: 'GET',
    path: organiserEndpoints.listConsents.path,
    query: { ...query },
    accept,
    options,
  });
  let isWhole = false;
  for await (const line of readLines(body)) {
    const parsed = parseLine(line);
    isWhole = parsed.type === 'end';
    yield parsed;
  }
  if (!isWhole) throw new SvcConnectionError('unrecognised-answer');
}

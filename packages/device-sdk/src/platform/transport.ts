export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST; absent for a GET. */
  readonly body?: Uint8Array;
  /** Aborting must end the request and the body's iteration. */
  readonly signal: AbortSignal;
}

export interface TransportAnswer {
  readonly status: number;
  /** Lower case, without parameters; empty if not given. */
  readonly mediaType: string;
  /** As announced; null if not given. Not trusted: the body is counted. */
  readonly contentLength: number | null;
  /** The body as it arrives. Leaving the loop early ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * One GET, or with a body one POST. Resolves with any HTTP status; rejects without an answer (offline, refused, aborted). Must not follow
 * redirects, send cookies or cache, so that a captive portal cannot pose as the service.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export function createFetchTransport(fetchImplementation: typeof fetch = fetch): Transport {
  return async ({ url, headers, body, signal }) => {
    // A separate variable, since Node's types lack some of these options.
    const init = {
      ...(body === undefined ? {} : { method: 'POST', body: Uint8Array.from(body) }),
      headers,
      signal,
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    } as const;
    const response = await fetchImplementation(url, init);
    const length = response.headers.get('content-length');
    return {
      status: response.status,
      mediaType: (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      contentLength: length !== null && /^[0-9]{1,15}$/.test(length) ? Number(length) : null,
      body: chunks(response),
    };
  };
}

async function* chunks(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Rejects if the connection is already closed.
    await reader.cancel().catch(() => undefined);
  }
}

import type { Transport } from '../ports/transport.ts';

/** Creates a transport over WHATWG fetch, of Node or a browser. */
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

import type { Transport } from '@svc/device-sdk';
import { fromBase64Url, type PageChannel, toBase64Url } from '@svc/device-sdk-native';

const CANCEL_MS = 10_000;

/**
 * HTTP by the platform's client: a page in an app may not fetch from other origins. A shell that is silent is left to
 * the caller's own limit, which aborts the signal.
 */
export function createShellTransport(channel: PageChannel): Transport {
  let transfers = 0;
  return async ({ url, headers, body, signal }) => {
    transfers += 1;
    const transfer = transfers;
    const cancel = () => {
      channel.request('transport.cancel', { transfer }, { timeoutMs: CANCEL_MS }).catch(() => undefined);
    };
    // Not `throwIfAborted`, which Chrome before 100 lacks.
    if (signal.aborted) throw new Error('aborted');
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        cancel();
        reject(new Error('aborted'));
      });
    });
    aborted.catch(() => undefined);
    const { status, mediaType, contentLength } = await Promise.race([
      aborted,
      channel.request('transport.begin', {
        transfer,
        method: body === undefined ? 'GET' : 'POST',
        url,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        ...(body === undefined ? {} : { body: toBase64Url(body) }),
      }),
    ]);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      let isDone = false;
      try {
        while (!isDone) {
          const read = await Promise.race([aborted, channel.request('transport.read', { transfer })]);
          isDone = read.done;
          yield fromBase64Url(read.chunk);
        }
      } finally {
        if (!isDone && !signal.aborted) cancel();
      }
    }
    return { status, mediaType, contentLength, body: chunks() };
  };
}

import type { TransportAnswer } from '../../ports/transport.ts';
import { syncAnswer } from '../fake-service.ts';
import { answered, type HostileCase, text } from './hostile-case.ts';

const MEDIA_TYPE = 'application/vnd.svc.sync';

const page = (over: Partial<TransportAnswer> = {}) =>
  syncAnswer(text('<html>Log in to the hotel</html>'), { mediaType: 'text/html', ...over });
const stream = (over: Partial<TransportAnswer>) => syncAnswer(new Uint8Array(), { contentLength: null, ...over });

/** Answers that are not the service's: other statuses, other types, endless bodies. */
export const transportCases: readonly HostileCase[] = [
  answered('a captive portal’s page', 'unexpected-answer', async () => page()),
  answered('a captive portal’s page as a sync', 'envelope-invalid', async () => page({ mediaType: MEDIA_TYPE })),
  answered('a redirect', 'unexpected-answer', async () => page({ status: 302 })),
  answered('a 204', 'unexpected-answer', async () => page({ status: 204 })),
  answered('a 400', 'unexpected-answer', async () => page({ status: 400 })),
  answered('a 401', 'unauthorised', async () => page({ status: 401 })),
  answered('a 403', 'unauthorised', async () => page({ status: 403 })),
  answered('a 404', 'unexpected-answer', async () => page({ status: 404 })),
  answered('a 409', 'device-key-mismatch', async () => page({ status: 409 })),
  answered('a 429', 'rate-limited', async () => page({ status: 429 })),
  answered('a 500', 'server-error', async () => page({ status: 500 })),
  answered('an envelope under a 206', 'unexpected-answer', async (honest) =>
    syncAnswer(await honest(), { status: 206 }),
  ),
  answered('an envelope under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 })),
  answered('an envelope as plain text', 'unexpected-answer', async (honest) =>
    syncAnswer(await honest(), { mediaType: 'text/plain' }),
  ),
  answered('an envelope of no type', 'unexpected-answer', async (honest) =>
    syncAnswer(await honest(), { mediaType: '' }),
  ),
  answered('a broken connection', 'offline', () => Promise.reject(new Error('ECONNRESET'))),
  answered('an announced length over the cap', 'too-long', async () => stream({ contentLength: 2 ** 40 })),
  answered('a body that never ends', 'too-long', async () =>
    stream({
      body: (async function* () {
        for (;;) yield new Uint8Array(1_000_000);
      })(),
    }),
  ),
  answered('a body far longer than announced', 'too-long', async () =>
    stream({
      contentLength: 100,
      body: (async function* () {
        for (;;) yield new Uint8Array(1_000_000);
      })(),
    }),
  ),
  answered('a body that breaks off', 'offline', async (honest) => {
    const bytes = await honest();
    return stream({
      contentLength: bytes.length,
      body: (async function* () {
        yield bytes.subarray(0, bytes.length >> 1);
        throw new Error('reset');
      })(),
    });
  }),
];

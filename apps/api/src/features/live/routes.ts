import { EVENT_STREAM_MEDIA_TYPE } from '@svc/protocol';
import { noteStream } from '../../http/observe-requests.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import type { LiveEvent, LiveService } from './service.ts';

/** Shorter than the idle timeouts of proxies. Also how long a stream outlives its caller's right, at most. */
const HEARTBEAT_MS = 15_000;
/** How long browsers wait until they connect again. */
const RECONNECT_MS = 2_000;
/** A caller that does not read is disconnected. */
const MAX_UNREAD_BYTES = 64 * 2 ** 10;

/** The lines of an event (WHATWG HTML, section 9.2.6). */
function linesOf(event: LiveEvent): string {
  const id = event.id === null ? '' : `id: ${event.id}\n`;
  return `event: ${event.type}\n${id}data: ${event.type === 'changed' ? JSON.stringify(event.change) : '{}'}\n\n`;
}

export const liveHandlers = (o: { readonly live: LiveService }) =>
  ({
    streamChanges({ caller, request, response, recheck }) {
      if (request.method === 'HEAD') {
        // A stream has no headers but with its body.
        response.setHeader('Allow', 'GET');
        throw new ServiceError('method-not-allowed');
      }
      const end = () => {
        clearInterval(heartbeat);
        stop();
        response.end();
      };
      const write = (text: string) => {
        if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
        else if (!response.writableEnded) response.write(text);
      };
      const stop = o.live.watch({
        accountId: caller.accountId,
        scopes: caller.rights.scopes,
        lastEventId: request.get('Last-Event-ID') ?? null,
        tell: (events) => write(events.map(linesOf).join('')),
        end: () => end(),
      });
      const heartbeat = setInterval(() => {
        // The key or the session may have ended.
        void recheck().then(
          () => write(':\n\n'),
          (error: unknown) => {
            if (error instanceof ServiceError) end();
            else write(':\n\n');
          },
        );
      }, HEARTBEAT_MS);
      heartbeat.unref();
      response.on('close', end);
      // The caller left while its credential was looked up: there is no other 'close'.
      if (response.destroyed) {
        end();
        return undefined;
      }
      response.set('Content-Type', EVENT_STREAM_MEDIA_TYPE);
      // nginx would otherwise hold events back.
      response.set('X-Accel-Buffering', 'no');
      noteStream(response);
      response.write(`retry: ${RECONNECT_MS}\n\n`);
      return undefined;
    },
  }) satisfies Partial<Handlers>;

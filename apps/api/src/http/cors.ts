import { DEVICE_KEY_HEADER, IDEMPOTENCY_KEY_HEADER, NONCE_HEADER, SYNC_COUNTER_HEADER } from '@svc/protocol';
import cors from 'cors';
import type { Router } from 'express';

/** How long a browser may rely on a preflight's answer. */
const PREFLIGHT_SECONDS = 600;
/** What a page may read of an answer, besides its body. */
const EXPOSED = [
  'Content-Language',
  'Idempotent-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/**
 * Pages of other origins that may call this API. Origins as browsers send them: scheme, host, port where it is not the
 * scheme's.
 */
export interface CorsOrigins {
  readonly widget: readonly string[];
  readonly kiosks: readonly string[];
}

/**
 * Lets the widget's page call the widget's endpoints, and kiosks' pages the devices'. Every other origin, and every
 * other path, gets no permission. Credentials are headers: cookies are never asked for.
 */
export function mountCors(router: Router, { widget, kiosks }: CorsOrigins): void {
  const common = { exposedHeaders: EXPOSED, maxAge: PREFLIGHT_SECONDS };
  router.use(
    '/v1/widget',
    cors({
      ...common,
      origin: [...widget],
      methods: ['GET', 'POST'],
      allowedHeaders: ['Authorization', 'Content-Type', IDEMPOTENCY_KEY_HEADER],
    }),
  );
  router.use(
    '/v1/device',
    cors({
      ...common,
      origin: [...kiosks],
      methods: ['GET'],
      allowedHeaders: ['Authorization', DEVICE_KEY_HEADER, NONCE_HEADER, SYNC_COUNTER_HEADER],
    }),
  );
}

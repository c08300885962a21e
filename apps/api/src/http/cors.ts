import {
  ATTENDANCES_HEADER,
  DEVICE_KEY_HEADER,
  ENGINES_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  NONCE_HEADER,
  PACKS_PATH,
  PAYLOADS_HEADER,
  SDK_VERSION_HEADER,
  SIGNATURE_HEADER,
  SYNC_COUNTER_HEADER,
} from '@svc/protocol';
import cors from 'cors';
import type { Router } from 'express';

/** How long a browser may cache a preflight's answer. */
const PREFLIGHT_SECONDS = 600;
/** Answer headers that a page may read. */
const EXPOSED = [
  'Content-Language',
  'Idempotent-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** Foreign origins that may call this API, as browsers send them: scheme, host, and port unless it is the default. */
export interface CorsOrigins {
  readonly widget: readonly string[];
  readonly kiosks: readonly string[];
}

/**
 * Permits the widget's page to call the widget's endpoints, and kiosk pages the devices' endpoints; any page may fetch a
 * payload by its link. All other origins and paths get no permission. Credentials are headers; cookies are not used.
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
      methods: ['GET', 'POST'],
      allowedHeaders: [
        'Authorization',
        'Content-Type',
        SIGNATURE_HEADER,
        DEVICE_KEY_HEADER,
        NONCE_HEADER,
        SYNC_COUNTER_HEADER,
        SDK_VERSION_HEADER,
        ENGINES_HEADER,
        ATTENDANCES_HEADER,
        PAYLOADS_HEADER,
      ],
    }),
  );
  // For all, as their link is the credential: a cache has one answer for every page and app.
  router.use(PACKS_PATH, cors({ ...common, origin: '*', methods: ['GET'] }));
}

import { isLoopbackHost } from './loopback.ts';

/** Whoever sets one of these runs a service for others. */
const PRODUCTION_SETTINGS = [
  'DATABASE_URL',
  'SVC_KEK',
  'SVC_KEK_FILE',
  'SVC_KEY_DATABASE_URL',
  'SVC_KEY_STORE_DIR',
  'SVC_KEY_SECRETS_DIR',
  'SVC_SIGNING_KEY',
  'SVC_SIGNING_KEY_FILE',
  'SVC_TRUST_PROXY',
  'SVC_WIDGET_URL',
];

/**
 * SVC_DEMO: whether an organiser's page to try the widget in is served at `/demo`. `on` unless a setting says that this is no developer's
 * machine.
 * @param refuse throws for a setting that is wrong: `on` on an address that others reach, or with NODE_ENV=production
 */
export function readDemoConfig(o: {
  readonly text: (name: string) => string | undefined;
  readonly refuse: (message: string) => never;
  /** Address to listen on. */
  readonly host: string;
}): boolean {
  const wanted = o.text('SVC_DEMO');
  if (wanted !== undefined && wanted !== 'on' && wanted !== 'off') o.refuse('SVC_DEMO must be on or off');
  const isReached = !isLoopbackHost(o.host) || o.text('NODE_ENV') === 'production';
  if (wanted === 'on' && isReached) o.refuse('SVC_DEMO must not be on where others reach the service');
  if (wanted !== undefined) return wanted === 'on';
  return !isReached && PRODUCTION_SETTINGS.every((name) => o.text(name) === undefined);
}

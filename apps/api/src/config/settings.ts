import { engineRecipes, versionsOf } from '@svc/face-models';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { serverAddresses } from './address.ts';

/** Texts for docs/reference/settings.md. */
interface About {
  /** Permitted values, as the end of a sentence. */
  readonly takes: string;
  readonly fallback: string;
  readonly is: string;
}

const about = z.registry<About>();

function describe<Schema extends z.ZodType>(schema: Schema, takes: string | undefined, fallback: string, is: string) {
  about.add(schema, { takes: takes ?? '', fallback, is });
  return schema;
}

/** A setting with a default. */
const setting = <Schema extends z.ZodType>(schema: Schema, fallback: string & z.input<Schema>, is: string) =>
  describe(z.prefault(schema, fallback), schema.description, `\`${fallback}\``, is);

/** An optional setting, undefined when absent. @param fallback effect of its absence, for the documentation */
const optional = <Schema extends z.ZodType>(schema: Schema, fallback: string, is: string) =>
  describe(z.optional(schema), schema.description, fallback, is);

/** Whether a host name, or an address with or without IPv6 brackets, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}

/** An https URL, or http to this machine; without user, query and fragment. */
function isPage(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search } = new URL(text);
  // Browsers, which alone open pages, take names below `localhost` for this machine.
  const isHere = isLoopbackHost(hostname) || hostname.endsWith('.localhost');
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isHere);
  return isSafe && username + password + search === '' && !text.includes('#');
}

const isProxy = (text: string) =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
  (!/^\d+$/.test(text) && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text)));

/** Its description completes the error message for an invalid value. */
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .describe(`a whole number from ${least} to ${most}`);

/** Comma-separated values. */
const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.preprocess((text: string) => text.split(',').map((part) => part.trim()), z.array(item));

/** The same, ignoring empty values. */
const sparseList = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.preprocess((text: string) => text.split(',').flatMap((part) => part.trim() || []), z.array(item));

/** Engines and their former versions: what new lists can be of. */
const listModels = engineRecipes.flatMap(versionsOf).map(({ engineId }) => engineId);

const text = z.string().describe('text');
const path = z.string().describe('a path');
const address = z.string().describe('an address');
const port = whole(0, 65_535);
const requests = whole(0, 100_000_000);
const postgres = z
  .string()
  .refine((text) => serverAddresses(text) !== null)
  .describe('a `postgresql://` address');
const onOff = z.enum(['on', 'off']).describe('`on` or `off`');
const page = z
  .string()
  .refine(isPage, { abort: true })
  .transform((text) => new URL(text))
  .describe('an `https://` address without user, query and fragment');
const origin = page.refine(({ pathname }) => pathname === '/').transform((url) => url.origin);
const smtp = z
  .string()
  .refine((text) => /^smtps?:\/\/[^/?#\s]+/.test(text) && URL.canParse(text))
  .describe('an `smtp://` or `smtps://` address');
const sender = z
  .string()
  .regex(/^([^\p{Cc}<>]* <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u)
  .describe('an e-mail address, with or without a name before it in `<…>`');
const proxies = z.union([whole(0, 16), list(z.string().refine(isProxy))]);
const ports = z.union([z.literal('any').transform(() => null), list(whole(1, 65_535))]);
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Settings whose presence indicates a production deployment. */
export const PRODUCTION_SETTINGS = [
  'DATABASE_URL',
  'SVC_KEK',
  'SVC_KEK_FILE',
  'SVC_KEY_DATABASE_URL',
  'SVC_KEY_SECRETS_DIR',
  'SVC_KEY_STORE_DIR',
  'SVC_SIGNING_KEY',
  'SVC_SIGNING_KEY_FILE',
  'SVC_TRUST_PROXY',
  'SVC_API_URL',
  'SVC_WIDGET_URL',
  'SVC_KIOSK_URL',
  'SVC_DASHBOARD_URL',
] as const;

/** Every setting: permitted values, default and documentation, in the order of docs/reference/settings.md. */
export const settings = z.object({
  HOST: setting(address, '127.0.0.1', 'listen address; a proxy in front terminates TLS'),
  PORT: setting(port, '3000', 'listen port; 0: any free one'),
  SVC_DRAIN_MS: setting(
    whole(0, 300_000),
    '0',
    'how long a stopping node [still answers](../operate/operations.md#starting-and-stopping)',
  ),
  DATABASE_URL: optional(
    postgres,
    'none',
    'PostgreSQL ≥ 15, [one or several servers](../operate/operations.md#external-databases); without it, the embedded one',
  ),
  SVC_EMBEDDED_DATABASE: optional(
    z.literal('yes').describe('`yes`'),
    'none',
    'permits the embedded database with `NODE_ENV=production`',
  ),
  SVC_DATABASE_PASSWORD_FILE: optional(path, 'none', 'database password, read at each connection; overrides the URL’s'),
  SVC_DATABASE_OWNER_URL: optional(
    postgres,
    'none',
    'URL of the same database for the [owner of its tables](../operate/operations.md#two-roles)',
  ),
  SVC_DATABASE_OWNER_PASSWORD_FILE: optional(path, 'none', 'the owner’s password'),
  SVC_DATA_DIR: optional(
    path,
    '`.data` in a clone',
    'folder of the embedded database and of keys; required in [releases](../operate/deployment.md)',
  ),
  SVC_KEK_FILE: optional(path, 'none', '[key-encryption keys](../operate/keys-and-backups.md#where-keys-are-stored)'),
  SVC_KEK: optional(text, 'none', 'the keys themselves, comma-separated; overrides the file'),
  SVC_VAULT_TOKEN_FILE: optional(path, 'none', 'file with the vault token, read at each call'),
  SVC_KEY_STORE_DIR: optional(path, '`keys`', 'folder of the key store, for nodes on one machine'),
  SVC_KEY_DATABASE_URL: optional(postgres, 'none', 'key store for several nodes: a second PostgreSQL database'),
  SVC_KEY_DATABASE_PASSWORD_FILE: optional(path, 'none', 'password of the key store’s database'),
  SVC_KEY_DATABASE_OWNER_URL: optional(postgres, 'none', 'URL of the key store’s database for the owner of its tables'),
  SVC_KEY_DATABASE_OWNER_PASSWORD_FILE: optional(path, 'none', 'the owner’s password'),
  SVC_KEY_SECRETS_DIR: optional(
    path,
    '`key-secrets`',
    'folder of secrets that [seal keys in the key store’s database](../operate/keys-and-backups.md#deleted-means-unreadable)',
  ),
  SVC_BACKUP_RETENTION_DAYS: setting(whole(1, 3_650), '35', 'days after which you delete a backup'),
  SVC_ACCEPT_OLD_BACKUP: optional(z.literal('yes').describe('`yes`'), 'none', 'permits a start on an outdated backup'),
  SVC_SIGNING_KEY_FILE: optional(
    path,
    '`signing-key.pem`',
    'Ed25519 key, PKCS #8 in PEM ([to change it](../operate/operations.md#changing-the-signing-key))',
  ),
  SVC_SIGNING_KEY: optional(text, 'none', 'the key itself, PEM or base64 of PKCS #8; overrides the file'),
  SVC_ENGINE: optional(
    z.enum(listModels).describe(listModels.map((id) => `\`${id}\``).join(', ')),
    'the preferred installed one',
    '[engine](../operate/operations.md#changing-the-engine) of new lists, the same on all nodes',
  ),
  SVC_INFERENCE_WORKERS: optional(whole(1, 64), 'number of CPUs, at most 4', 'threads that process photos'),
  SVC_INFERENCE_QUEUE: optional(whole(0, 10_000), '24 per worker', 'enrolments that may wait; further ones get 503'),
  SVC_API_URL: optional(
    origin.describe('an `https://` origin'),
    'none',
    'origin of the API, if pages have [their own host names](../operate/deployment.md#four-host-names)',
  ),
  SVC_WIDGET_URL: optional(page, '`http://localhost:PORT/widget`', 'page of guest links; may call `/v1/widget/*`'),
  SVC_WIDGET_DIR: optional(path, 'in the clone or release', '[widget](../build/widget.md), served at `/widget/`'),
  SVC_DEMO: optional(onOff, 'see below', 'widget demo at `/demo`, for this machine only'),
  SVC_DASHBOARD_DIR: optional(
    path,
    'in the clone or release',
    '[dashboard](../guide/dashboard.md), served at `/dashboard/`',
  ),
  SVC_KIOSK_DIR: optional(path, 'in the clone or release', '[kiosk](../guide/kiosk.md), served at `/kiosk/`'),
  SVC_MANUAL_DIR: optional(path, 'in the clone or release', '[manual](../README.md), served at `/manual/`'),
  SVC_KIOSK_URL: optional(page, 'see below', 'page of pairing links; may call `/v1/device/*`'),
  SVC_KIOSK_ORIGINS: optional(
    sparseList(origin).describe('`https://` origins, separated by commas'),
    'none',
    'check-in apps that may call `/v1/device/*`',
  ),
  SVC_DASHBOARD_URL: optional(page, 'see below', 'sign-in page; passkeys are permanently bound to its host name'),
  SVC_SMTP_URL: optional(smtp, 'none', 'mail server, with user and password'),
  SVC_MAIL_FROM: optional(sender, 'none', 'sender of mails, needed with `SVC_SMTP_URL`'),
  SVC_OIDC_ISSUER: optional(page, 'none', 'OpenID provider; redirects to `/v1/sign-in/oidc/callback`'),
  SVC_OIDC_CLIENT_ID: optional(text, 'none', 'client ID at that provider'),
  SVC_OIDC_CLIENT_SECRET_FILE: optional(path, 'none', 'client secret; without one, the service is a public client'),
  SVC_OIDC_CLIENT_SECRET: optional(text, 'none', 'the secret itself; overrides the file'),
  SVC_OIDC_NAME: optional(text, 'the issuer’s host name', 'name on the sign-in page'),
  SVC_CHECK_IN_ORIGINS: optional(
    sparseList(origin).describe('`https://` origins, separated by commas'),
    'none',
    'origins that may receive [check-ins](../build/webhooks.md#check-ins-from-a-device)',
  ),
  SVC_PAYLOADS_URL: optional(
    origin.describe('an `https://` origin'),
    'none',
    'a [cache](../operate/deployment.md#a-cache-in-front) of `/v1/packs/*` for devices',
  ),
  SVC_DATABASE_CONNECTIONS: setting(whole(2, 1_000), '10', 'database connections per node'),
  SVC_RATE_LIMIT_API_KEY: setting(requests, '6000', 'requests a minute per API key or session; 0 turns any limit off'),
  SVC_RATE_LIMIT_GUEST_TOKEN: setting(requests, '120', 'requests a minute per enrolment token'),
  SVC_RATE_LIMIT_DEVICE: setting(requests, '120', 'requests a minute per device and node'),
  SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS: setting(requests, '120', 'unknown credentials a minute, per address and node'),
  SVC_RATE_LIMIT_SIGN_IN: setting(requests, '60', 'sign-in steps a minute, per address and node'),
  SVC_RATE_LIMIT_PAYLOADS: setting(requests, '600', 'downloads by link a minute, per address and node'),
  SVC_TRUST_PROXY: setting(
    proxies.describe('a number of proxies, at most 16, or a list of addresses'),
    '0',
    '[proxies](../operate/operations.md#rate-limits-and-overload) whose `X-Forwarded-For` is trusted',
  ),
  SVC_CONNECTIONS: setting(whole(10, 1_000_000), '10000', 'maximum of open connections; keep `LimitNOFILE` well above'),
  SVC_BODY_MEMORY_MB: setting(whole(16, 65_536), '256', 'memory for request bodies and waiting photos'),
  SVC_METRICS_PORT: optional(port, 'none', '[metrics](../operate/monitoring.md); 0: any free port'),
  SVC_METRICS_HOST: setting(address, '127.0.0.1', 'listen address of the metrics'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(address, 'none', 'where [traces](../operate/monitoring.md#traces) go'),
  SVC_JOBS: setting(
    onOff,
    'on',
    '[jobs](../operate/operations.md#recurring-jobs), webhooks and mailings; at least one node needs `on`',
  ),
  SVC_MAILS_PER_MINUTE: setting(whole(1, 100_000), '300', 'guest links mailed a minute, by all nodes together'),
  SVC_WEBHOOK_ALLOW: optional(
    sparseList(z.string().refine(ipaddr.isValidCIDR)).describe('address ranges such as `10.1.0.0/16, fd00::/8`'),
    'none',
    'private addresses that webhooks may use',
  ),
  SVC_WEBHOOK_PORTS: setting(ports.describe('`any`, or ports separated by commas'), '443', 'ports for webhooks'),
  SVC_WEBHOOK_HTTP: setting(onOff, 'off', 'permits plain HTTP for webhooks, in development'),
  SVC_MODELS_DIR: optional(path, 'see the link', '[add-on models](../internals/models.md#add-ons), read at the start'),
  SVC_MODELS: setting(
    z.enum(['recommended', 'built-in']).describe('`recommended` or `built-in`'),
    'recommended',
    'which models [to install](../internals/models.md#add-ons)',
  ),
  SVC_MODELS_FROM: optional(text, 'the authors’ servers', 'source of downloads: a folder, or a mirror’s address'),
  SVC_PASSIVE_MODEL: optional(
    text,
    'the default one',
    'model of the kiosk’s [passive check](../internals/models.md#passive-liveness-which-model-serves)',
  ),
  SVC_REGION: setting(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,32}$/)
      .describe('letters, digits and hyphens, at most 32'),
    'local',
    'name that `svc region show` prints',
  ),
  LOG_LEVEL: setting(
    z.enum(logLevels).describe(logLevels.map((level) => `\`${level}\``).join(', ')),
    'info',
    'what is logged',
  ),
});

type Name = keyof typeof settings.shape;

/** A setting's permitted values as plain text; only the name for an unknown setting. */
export function describeSetting(name: string): string {
  const { takes = '' } = about.get(settings.shape[name as Name]) ?? {};
  return takes.replaceAll('`', '');
}

/** Permitted values for the table, which is narrower than a sentence. */
const brief = (takes: string): string =>
  takes
    .replace(/^a whole number from (\d+) to (\d+)$/, '$1–$2')
    .replace(/^`[^ ]+\/\d+`, .*/, 'an engine')
    .replace(/ without user.*|, separated by commas$|, with or without.*/, '')
    .replace(', at most 16, or a list of', ', or')
    .replace(/^an? /, '')
    .replace(/^(address|path|text|`postgresql:\/\/` address|`on` or `off`)$/, '');

/** The table of docs/reference/settings.md. */
export function renderSettings(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const { takes, fallback, is } = about.get(schema) as About;
    const values = [brief(takes), fallback === 'none' ? '' : fallback].filter((text) => text !== '').join('; ');
    return `| \`${name}\` | ${values} | ${is} |`;
  });
  return ['| Setting | Values; default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

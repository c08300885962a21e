import { engineRecipes, versionsOf } from '@svc/face-models';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { serverAddresses } from './address.ts';

/** Texts for docs/operations.md. */
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

/** Every setting: permitted values, default and documentation, in the order of docs/operations.md. */
export const settings = z.object({
  HOST: setting(address, '127.0.0.1', 'address to listen on. TLS is the matter of the proxy in front'),
  PORT: setting(port, '3000', '0 for any free port'),
  SVC_DRAIN_MS: setting(
    whole(0, 300_000),
    '0',
    'how long a node that was told to stop goes on answering. Behind a balancer: longer than it takes to notice ' +
      '([Stopping](#starting-and-stopping))',
  ),
  DATABASE_URL: optional(
    postgres,
    'none',
    'PostgreSQL ≥ 15, [one server or several](#databases-apart). None: the PostgreSQL that comes with the product',
  ),
  SVC_DATABASE_PASSWORD_FILE: optional(
    path,
    'none',
    'file with the password for `DATABASE_URL`, read anew at each connection; wins over the address’s',
  ),
  SVC_DATABASE_OWNER_URL: optional(
    postgres,
    'none',
    'the same database for the role that owns its tables and migrates ([two roles](#two-roles)). None: that of ' +
      '`DATABASE_URL` does, or `svc migrate` did before',
  ),
  SVC_DATABASE_OWNER_PASSWORD_FILE: optional(path, 'none', 'the same file for `SVC_DATABASE_OWNER_URL`'),
  SVC_DATA_DIR: optional(
    path,
    '`.data` in a clone; a [release](deployment.md) needs one',
    'keys that are not configured otherwise, and the embedded database',
  ),
  SVC_KEK_FILE: optional(path, 'none', 'file with the [key-encryption keys](keys-and-backups.md#where-keys-lie)'),
  SVC_KEK: optional(text, 'none', 'the same as text, separated by commas; wins over the file'),
  SVC_VAULT_TOKEN_FILE: optional(path, 'none', 'file with the token for keys in a vault, read anew at each call'),
  SVC_KEY_STORE_DIR: optional(
    path,
    '`keys` in the data directory',
    'a folder for keys and the memory of erasures, on one machine',
  ),
  SVC_KEY_DATABASE_URL: optional(postgres, 'none', 'or a second PostgreSQL database for them'),
  SVC_KEY_DATABASE_PASSWORD_FILE: optional(path, 'none', 'the same file for `SVC_KEY_DATABASE_URL`'),
  SVC_KEY_DATABASE_OWNER_URL: optional(postgres, 'none', 'the owner of the keys’ database, as above'),
  SVC_KEY_DATABASE_OWNER_PASSWORD_FILE: optional(path, 'none', 'the same file for `SVC_KEY_DATABASE_OWNER_URL`'),
  SVC_KEY_SECRETS_DIR: optional(
    path,
    '`key-secrets` in the data directory',
    'with `SVC_KEY_DATABASE_URL`: a folder outside of that database for the secrets that seal its keys, ' +
      '[the same for every node](keys-and-backups.md#deleted-means-unreadable)',
  ),
  SVC_BACKUP_RETENTION_DAYS: setting(
    whole(1, 3_650),
    '35',
    'days that a backup of the database may live; erasures are remembered two days longer',
  ),
  SVC_ACCEPT_OLD_BACKUP: optional(z.literal('yes').describe('`yes`'), 'none', 'start on a backup that is older'),
  SVC_SIGNING_KEY_FILE: optional(
    path,
    '`signing-key.pem` in the data directory',
    'file with the region’s Ed25519 key, PKCS #8 in PEM; while it [changes over](#changing-the-signing-key) with two',
  ),
  SVC_SIGNING_KEY: optional(
    text,
    'none',
    'the same as text: PEM, or the base64 of PKCS #8 alone, keys separated by commas; wins over the file',
  ),
  SVC_ENGINE: optional(
    z.enum(listModels).describe(listModels.map((id) => `\`${id}\``).join(', ')),
    'the preferred one of those that are installed',
    'the engine of new lists, or a former version of one; one that is not installed stops the start. The same on every ' +
      'node; see [changing the engine](#changing-the-engine)',
  ),
  SVC_INFERENCE_WORKERS: optional(whole(1, 64), 'CPUs, at most 4', 'threads that turn photos into sealed records'),
  SVC_INFERENCE_QUEUE: optional(
    whole(0, 10_000),
    '24 a worker',
    'enrolments that may wait for a thread; beyond them the answer is 503',
  ),
  SVC_API_URL: optional(
    origin.describe('an `https://` origin'),
    'none: every host name answers for everything',
    'where organisers’ servers and devices reach the API. The widget, the kiosk and the dashboard then have [host names ' +
      'of their own](deployment.md#four-host-names), at each of which nothing else is answered',
  ),
  SVC_WIDGET_URL: optional(
    page,
    '`http://localhost:PORT/widget`',
    'where the widget’s page lives; plain HTTP on this machine only. Guest links begin with it, and its origin may ' +
      'call `/v1/widget/*`',
  ),
  SVC_WIDGET_DIR: optional(
    path,
    '`apps/widget/dist` of the clone, `pages/widget` of a release',
    'the built [widget](widget.md), served at `/widget/`; where there is none, none is served. Where it lives at ' +
      'another address, see [there](widget.md#serving-it-elsewhere)',
  ),
  SVC_DEMO: optional(
    onOff,
    '`on` on a developer’s machine',
    'an organiser’s page to try the widget in, at `/demo`. By default `off` as soon as one of ' +
      `${PRODUCTION_SETTINGS.map((name) => `\`${name}\``).join(', ')} is set, \`HOST\` is not loopback, or ` +
      '`NODE_ENV` is `production`; with the last two it cannot be turned on. It answers this machine’s own browsers ' +
      'alone: a request for another host’s name, or through a proxy that says so, gets 404',
  ),
  SVC_DASHBOARD_DIR: optional(
    path,
    '`apps/dashboard/dist` of the clone, `pages/dashboard` of a release',
    'the built [dashboard](dashboard.md), served at `/dashboard/`; where there is none, none is served',
  ),
  SVC_KIOSK_DIR: optional(
    path,
    '`apps/kiosk/dist` of the clone, `pages/kiosk` of a release',
    'the built [kiosk](kiosk.md), served at `/kiosk/`; where there is none, none is served',
  ),
  SVC_KIOSK_URL: optional(
    page,
    '`http://localhost:PORT/kiosk/` where `HOST` is loopback and `SVC_WIDGET_URL` is not set; otherwise none',
    'where the kiosk’s page lives; plain HTTP on this machine only. Pairing links begin with it, and its origin may ' +
      'call `/v1/device/*`; without it a device’s token has no link',
  ),
  SVC_KIOSK_ORIGINS: optional(
    sparseList(origin).describe('`https://` origins, separated by commas'),
    'none',
    'check-in apps that run in a browser: they may call `/v1/device/*`',
  ),
  SVC_DASHBOARD_URL: optional(
    page,
    '`http://localhost:PORT/dashboard/` where `HOST` is loopback and `SVC_WIDGET_URL` is not set; otherwise none',
    'where people open the [dashboard](dashboard.md): passkeys are bound to its host name, links to sign in begin ' +
      'with it, and only its pages may act for a signed-in person. A change of its host name makes every passkey ' +
      'useless. None: nobody can be invited',
  ),
  SVC_SMTP_URL: optional(
    smtp,
    'none',
    'the mail server, with user and password (`smtps://user:password@mail.example.org`). `smtp://` needs STARTTLS, ' +
      'except to this machine or with `?requireTLS=false`. None: no mail is sent, links are shown to whoever invites',
  ),
  SVC_MAIL_FROM: optional(sender, 'none', 'the sender of mails; goes with `SVC_SMTP_URL`'),
  SVC_OIDC_ISSUER: optional(
    page,
    'none',
    'an OpenID provider that users may sign in with; its redirect address is `/v1/sign-in/oidc/callback` at the ' +
      'origin of the dashboard',
  ),
  SVC_OIDC_CLIENT_ID: optional(text, 'none', 'this deployment at that provider; goes with `SVC_OIDC_ISSUER`'),
  SVC_OIDC_CLIENT_SECRET_FILE: optional(path, 'none', 'file with the client’s secret; none: a public client'),
  SVC_OIDC_CLIENT_SECRET: optional(text, 'none', 'the same as text; wins over the file'),
  SVC_OIDC_NAME: optional(text, 'the issuer’s host name', 'what the sign-in page calls the provider'),
  SVC_CHECK_IN_ORIGINS: optional(
    sparseList(origin).describe('`https://` origins, separated by commas'),
    'none',
    'where lists may have devices send [check-ins](webhooks.md#check-ins-from-a-device); the policy of the served kiosk lets its ' +
      'page connect to these',
  ),
  SVC_PAYLOADS_URL: optional(
    origin.describe('an `https://` origin'),
    'none: from the service itself',
    'a [cache in front](deployment.md#a-cache-in-front) of `/v1/packs/*`, where devices fetch what they sync; the policy of ' +
      'the served kiosk lets its page connect to it',
  ),
  SVC_DATABASE_CONNECTIONS: setting(whole(2, 1_000), '10', 'connections of a node to the database'),
  SVC_RATE_LIMIT_API_KEY: setting(
    requests,
    '6000',
    'requests a minute of an API key or of a person’s session, over all nodes; 0 for no limit, here and below',
  ),
  SVC_RATE_LIMIT_GUEST_TOKEN: setting(requests, '120', 'requests a minute of an enrolment token, over all nodes'),
  SVC_RATE_LIMIT_DEVICE: setting(requests, '120', 'requests a minute of a device, a node'),
  SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS: setting(
    requests,
    '120',
    'credentials a minute that do not exist, from a network address, a node; beyond them the answer is 429. Those ' +
      'that exist are never refused for it',
  ),
  SVC_RATE_LIMIT_SIGN_IN: setting(
    requests,
    '60',
    'steps of signing in to the dashboard a minute from a network address, a node',
  ),
  SVC_RATE_LIMIT_PAYLOADS: setting(
    requests,
    '600',
    'payloads a minute that a network address fetches by their links, a node',
  ),
  SVC_TRUST_PROXY: setting(
    proxies.describe('a number of proxies, at most 16, or a list of addresses'),
    '0',
    'whose `X-Forwarded-For` is believed: how many proxies stand before the service, or their addresses ' +
      '(`10.0.0.0/8, 2001:db8::1`, `loopback`, `linklocal`, `uniquelocal`)',
  ),
  SVC_CONNECTIONS: setting(
    whole(10, 1_000_000),
    '10000',
    'connections that callers may have open, a node; what comes beyond is closed unanswered, health checks too. ' +
      'Keep the limit of open files (`LimitNOFILE`) well above it',
  ),
  SVC_BODY_MEMORY_MB: setting(
    whole(16, 65_536),
    '256',
    'bodies that are read at one time, and photos that wait for a thread, together',
  ),
  SVC_METRICS_PORT: optional(
    port,
    'none',
    'port of the Prometheus metrics, 0 for any free one; none: they are not served ([monitoring.md](monitoring.md))',
  ),
  SVC_METRICS_HOST: setting(address, '127.0.0.1', 'address of the metrics'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    address,
    'none',
    'where traces go; OpenTelemetry’s other settings are read too ([monitoring.md](monitoring.md))',
  ),
  SVC_JOBS: setting(
    onOff,
    'on',
    '`off`: this node neither runs recurring jobs nor delivers webhooks nor mails guest links. One node of a deployment must',
  ),
  SVC_MAILS_PER_MINUTE: setting(
    whole(1, 100_000),
    '300',
    'guest links that are mailed a minute, over all nodes; what the mail server allows',
  ),
  SVC_WEBHOOK_ALLOW: optional(
    sparseList(z.string().refine(ipaddr.isValidCIDR)).describe('address ranges such as `10.1.0.0/16, fd00::/8`'),
    'none',
    'where webhooks may go although it is not public',
  ),
  SVC_WEBHOOK_PORTS: setting(
    ports.describe('`any`, or ports separated by commas'),
    '443',
    'ports that webhooks may have',
  ),
  SVC_WEBHOOK_HTTP: setting(onOff, 'off', '`on`: webhooks may be plain HTTP, for development'),
  SVC_MODELS_DIR: optional(
    path,
    '`svc/models` in the user’s data folder; `models` of a release',
    'where [add-on models](models.md) are: recognition for the service, the command line, the SDK and the kiosk’s ' +
      'build, passive liveness for all but the service. A node reads it at its start',
  ),
  SVC_MODELS: setting(
    z.enum(['recommended', 'built-in']).describe('`recommended` or `built-in`'),
    'recommended',
    'whether `npm start`, `npm run package` and the kiosk’s build [install the recommended models](models.md#add-ons); ' +
      '`built-in`: no, and what is installed serves on',
  ),
  SVC_MODELS_FROM: optional(
    text,
    'their authors’ addresses',
    'where from: a folder, or the http(s) base address of a mirror. Every file is pinned by its digest',
  ),
  SVC_PASSIVE_MODEL: optional(
    text,
    'the default one',
    'which [passive check](models.md#passive-liveness-which-model-serves) the kiosk is built with',
  ),
  SVC_REGION: setting(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,32}$/)
      .describe('letters, digits and hyphens, at most 32'),
    'local',
    'the name of the region, for `svc region show`',
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

/** The table of docs/operations.md. */
export function renderSettings(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const { takes, fallback, is } = about.get(schema) as About;
    return `| \`${name}\` | ${takes} | ${fallback} | ${is} |`;
  });
  return ['| Setting | Takes | Default | Is |', '|---|---|---|---|', ...rows].join('\n');
}

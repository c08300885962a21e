import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultAddOnDirectory } from '@svc/face-models/node';
import { describeSetting, isLoopbackHost, PRODUCTION_SETTINGS, settings } from './settings.ts';

/** Configuration of a deployment; docs/reference/settings.md describes each setting. */
export type ApiConfig = Readonly<ReturnType<typeof readConfig>>;

/** An invalid setting; the message names it and never quotes its value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Environment = Readonly<Record<string, string | undefined>>;

const MIB = 2 ** 20;
const QUEUE_PER_WORKER = 24;

/** The product's other variables: for scripts, builds, and clients in examples. */
const OTHER_VARIABLES = [
  'SVC_ADD_ONS_STATE',
  'SVC_API_KEY',
  'SVC_BASE_URL',
  'SVC_CHROMIUM',
  'SVC_DEVICE_TOKEN',
  'SVC_ENROLMENT_TOKEN',
  'SVC_INVOKED_FROM',
  'SVC_KIOSK_ENGINES',
  'SVC_PINNED_REGIONS',
  'SVC_RELEASE',
  'SVC_URL',
  'SVC_WEBHOOK_SECRET',
  'SVC_WIDGET_API_URL',
];

/** Levenshtein distance in characters. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, character] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, above] of row.entries()) {
      if (j === other.length) break;
      const replaced = above + (character === other[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** What tells a setting from the others: some have no prefix. */
const stemOf = (name: string): string => name.replace(/^SVC_/, '');

function refuseUnknown(names: readonly string[]): void {
  const known = new Set([...Object.keys(settings.shape), ...OTHER_VARIABLES]);
  const unknown = names.find((name) => /^SVC_(?!TEST_)/.test(name) && !known.has(name));
  if (unknown === undefined) return;
  const distanceTo = (name: string) => editDistance(stemOf(name), stemOf(unknown));
  const [nearest = ''] = [...known].sort((a, b) => distanceTo(a) - distanceTo(b));
  const isNear = distanceTo(nearest) <= Math.max(stemOf(nearest).length, stemOf(unknown).length) / 2;
  const hint = isNear ? `did you mean ${nearest}?` : 'docs/reference/settings.md lists them';
  throw new ConfigurationError(`${unknown} is not a setting; ${hint}`);
}

/** Parses the environment by the settings' schema; empty values count as absent. */
function parseSettings(environment: Environment) {
  const present = Object.entries(environment).flatMap(([name, value]) => {
    const trimmed = value?.trim() ?? '';
    return trimmed === '' ? [] : [[name, trimmed] as const];
  });
  refuseUnknown(present.map(([name]) => name));
  const parsed = settings.safeParse(Object.fromEntries(present));
  if (parsed.success) return parsed.data;
  const name = String(parsed.error.issues[0]?.path[0]);
  throw new ConfigurationError(`${name} must be ${describeSetting(name)}`);
}

type Settings = ReturnType<typeof parseSettings>;

/** A page's address as a folder's, so that pages below it can be appended. */
const folderOf = ({ href }: URL) => (href.endsWith('/') ? href : `${href}/`);

/** Settings that mean nothing without the second. */
const GOES_WITH = [
  ['SVC_SMTP_URL', 'SVC_MAIL_FROM'],
  ['SVC_MAIL_FROM', 'SVC_SMTP_URL'],
  ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID'],
  ['SVC_OIDC_CLIENT_ID', 'SVC_OIDC_ISSUER'],
  ['SVC_API_URL', 'SVC_WIDGET_URL'],
  ['SVC_KEY_SECRETS_DIR', 'SVC_KEY_DATABASE_URL'],
  ['SVC_DATABASE_PASSWORD_FILE', 'DATABASE_URL'],
  ['SVC_DATABASE_OWNER_URL', 'DATABASE_URL'],
  ['SVC_DATABASE_OWNER_PASSWORD_FILE', 'SVC_DATABASE_OWNER_URL'],
  ['SVC_KEY_DATABASE_PASSWORD_FILE', 'SVC_KEY_DATABASE_URL'],
  ['SVC_KEY_DATABASE_OWNER_URL', 'SVC_KEY_DATABASE_URL'],
  ['SVC_KEY_DATABASE_OWNER_PASSWORD_FILE', 'SVC_KEY_DATABASE_OWNER_URL'],
] as const;

function refuseContradictions(settings: Settings) {
  const { DATABASE_URL, SVC_KEY_DATABASE_URL, SVC_KEY_STORE_DIR } = settings;
  if (SVC_KEY_DATABASE_URL !== undefined && SVC_KEY_STORE_DIR !== undefined) {
    throw new ConfigurationError('SVC_KEY_DATABASE_URL and SVC_KEY_STORE_DIR cannot be used together');
  }
  if (SVC_KEY_DATABASE_URL !== undefined && SVC_KEY_DATABASE_URL === DATABASE_URL) {
    throw new ConfigurationError('SVC_KEY_DATABASE_URL must be a different database from DATABASE_URL');
  }
  for (const [one, other] of GOES_WITH) {
    if (settings[one] !== undefined && settings[other] === undefined) {
      throw new ConfigurationError(`${one} needs ${other}`);
    }
  }
}

/** @throws ConfigurationError unless the API and each page have a host name of their own, if the API's is set */
function refuseSharedHosts(settings: Settings): void {
  const { SVC_API_URL, SVC_DEMO } = settings;
  if (SVC_API_URL === undefined) return;
  if (SVC_DEMO === 'on') throw new ConfigurationError('SVC_API_URL and SVC_DEMO=on cannot be used together');
  const owners = new Map([[new URL(SVC_API_URL).hostname, 'SVC_API_URL']]);
  for (const name of ['SVC_WIDGET_URL', 'SVC_KIOSK_URL', 'SVC_DASHBOARD_URL'] as const) {
    const url = settings[name];
    if (url === undefined) continue;
    // Cookies do not tell ports apart.
    const owner = owners.get(url.hostname);
    if (owner !== undefined) throw new ConfigurationError(`${owner} and ${name} must have different host names`);
    owners.set(url.hostname, name);
    const path = `/${name.slice(4, -4).toLowerCase()}/`;
    if (folderOf(url) !== url.origin + path)
      throw new ConfigurationError(`${name} must end with ${path}, because SVC_API_URL is set`);
  }
}

/** Whether `/demo` is served: by default unless a setting indicates a production machine. */
function isDemoOn({ SVC_DEMO: wanted, HOST }: Settings, environment: Environment): boolean {
  const isReached = !isLoopbackHost(HOST) || environment.NODE_ENV?.trim() === 'production';
  if (wanted === 'on' && isReached) {
    throw new ConfigurationError('SVC_DEMO must not be on where others can reach the service');
  }
  if (wanted !== undefined) return wanted === 'on';
  return !isReached && PRODUCTION_SETTINGS.every((name) => !environment[name]?.trim());
}

/** @throws ConfigurationError for a release in production without a database of its own, unless a setting allows it */
function refuseEmbeddedDatabase({ DATABASE_URL, SVC_EMBEDDED_DATABASE }: Settings, environment: Environment): void {
  if (DATABASE_URL !== undefined || SVC_EMBEDDED_DATABASE === 'yes') return;
  if (environment.SVC_RELEASE === undefined || environment.NODE_ENV?.trim() !== 'production') return;
  throw new ConfigurationError(
    'DATABASE_URL must be set in production; SVC_EMBEDDED_DATABASE=yes permits the bundled PostgreSQL, a beta build',
  );
}

/** The origin of a page URL. */
export function originOf(page: string): string {
  return new URL(page).origin;
}

/** In a clone the repository's root, so that every command uses the same `.data`. */
function homeDirectory(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
  }
  return process.cwd();
}

/**
 * Where the program lies: a clone, or the folder of an unpacked release, which the release's own `bin/` names in
 * `SVC_RELEASE` and which is never written to.
 */
function installation(environment: Environment) {
  const release = environment.SVC_RELEASE;
  const home = release ?? homeDirectory();
  return {
    pages: (app: 'dashboard' | 'kiosk' | 'manual' | 'widget') =>
      release === undefined ? join(home, 'apps', app, 'dist') : join(home, 'pages', app),
    dataDirectory() {
      if (release === undefined) return join(home, '.data');
      throw new ConfigurationError('SVC_DATA_DIR must be set: it is the only folder that the service writes to');
    },
  };
}

/** How an operator calls the command line here. */
export const operatorCommand = (environment: Environment = process.env): string =>
  environment.SVC_RELEASE === undefined ? 'npm run svc --' : 'svc';

/**
 * Reads the settings. Relative paths are resolved from `SVC_INVOKED_FROM`, else from the working directory.
 * @throws ConfigurationError naming the first invalid setting or unknown `SVC_*`
 */
export function readConfig(environment: Environment) {
  const parsed = parseSettings(environment);
  refuseContradictions(parsed);
  refuseSharedHosts(parsed);
  refuseEmbeddedDatabase(parsed, environment);
  const calledFrom = environment.SVC_INVOKED_FROM ?? process.cwd();
  const path = (value: string | undefined) => (value === undefined ? undefined : resolve(calledFrom, value));
  const installed = installation(environment);
  const isOnThisMachine = isLoopbackHost(parsed.HOST) && parsed.SVC_WIDGET_URL === undefined;
  const inferenceWorkers = parsed.SVC_INFERENCE_WORKERS ?? Math.min(availableParallelism(), 4);
  return {
    host: parsed.HOST,
    port: parsed.PORT,
    drainMs: parsed.SVC_DRAIN_MS,
    /** Null: the embedded PostgreSQL in the data directory. */
    databaseUrl: parsed.DATABASE_URL ?? null,
    databasePasswordFile: path(parsed.SVC_DATABASE_PASSWORD_FILE),
    /** The role that migrates, if it is another one; the same applies to the keys' database. */
    databaseOwnerUrl: parsed.SVC_DATABASE_OWNER_URL,
    databaseOwnerPasswordFile: path(parsed.SVC_DATABASE_OWNER_PASSWORD_FILE),
    dataDirectory: path(parsed.SVC_DATA_DIR) ?? installed.dataDirectory(),
    /** Overrides the file; the same applies to the signing key. */
    kek: parsed.SVC_KEK,
    kekFile: path(parsed.SVC_KEK_FILE),
    vaultTokenFile: path(parsed.SVC_VAULT_TOKEN_FILE),
    signingKey: parsed.SVC_SIGNING_KEY,
    signingKeyFile: path(parsed.SVC_SIGNING_KEY_FILE),
    keyDatabaseUrl: parsed.SVC_KEY_DATABASE_URL,
    keyDatabasePasswordFile: path(parsed.SVC_KEY_DATABASE_PASSWORD_FILE),
    keyDatabaseOwnerUrl: parsed.SVC_KEY_DATABASE_OWNER_URL,
    keyDatabaseOwnerPasswordFile: path(parsed.SVC_KEY_DATABASE_OWNER_PASSWORD_FILE),
    keySecretsDirectory: path(parsed.SVC_KEY_SECRETS_DIR),
    keyStoreDirectory: path(parsed.SVC_KEY_STORE_DIR),
    backupRetentionDays: parsed.SVC_BACKUP_RETENTION_DAYS,
    acceptOldBackup: parsed.SVC_ACCEPT_OLD_BACKUP === 'yes',
    engineId: parsed.SVC_ENGINE,
    modelsDirectory: path(parsed.SVC_MODELS_DIR) ?? defaultAddOnDirectory(),
    inferenceWorkers,
    inferenceQueue: parsed.SVC_INFERENCE_QUEUE ?? inferenceWorkers * QUEUE_PER_WORKER,
    /** Null: no metrics port. */
    metricsPort: parsed.SVC_METRICS_PORT ?? null,
    metricsHost: parsed.SVC_METRICS_HOST,
    traffic: {
      /** Requests per minute; 0 for no limit. */
      rateLimits: {
        apiKey: parsed.SVC_RATE_LIMIT_API_KEY,
        guestToken: parsed.SVC_RATE_LIMIT_GUEST_TOKEN,
        device: parsed.SVC_RATE_LIMIT_DEVICE,
        unknownCredentials: parsed.SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS,
        signIn: parsed.SVC_RATE_LIMIT_SIGN_IN,
        payload: parsed.SVC_RATE_LIMIT_PAYLOADS,
      },
      /** Number or addresses of trusted proxies; false for none. */
      trustProxy: parsed.SVC_TRUST_PROXY === 0 ? (false as const) : parsed.SVC_TRUST_PROXY,
      connections: parsed.SVC_CONNECTIONS,
      bodyBytes: parsed.SVC_BODY_MEMORY_MB * MIB,
      databaseConnections: parsed.SVC_DATABASE_CONNECTIONS,
    },
    /** The API's origin, where it and the pages have host names of their own. Null: every host answers for everything. */
    apiUrl: parsed.SVC_API_URL ?? null,
    widget: {
      /** URL of the widget's page; a guest link is this, `#` and the token. */
      url: parsed.SVC_WIDGET_URL?.href ?? `http://localhost:${parsed.PORT}/widget`,
      kioskOrigins: [
        ...(parsed.SVC_KIOSK_URL === undefined ? [] : [parsed.SVC_KIOSK_URL.origin]),
        ...(parsed.SVC_KIOSK_ORIGINS ?? []),
      ],
    },
    /** URL of the kiosk's page; a pairing link is this, `#` and the token. Null: not known. */
    kioskUrl: parsed.SVC_KIOSK_URL?.href ?? (isOnThisMachine ? `http://localhost:${parsed.PORT}/kiosk/` : null),
    /** URL of the dashboard, ending with a slash. Null: not known. */
    dashboardUrl:
      parsed.SVC_DASHBOARD_URL === undefined
        ? isOnThisMachine
          ? `http://localhost:${parsed.PORT}/dashboard/`
          : null
        : folderOf(parsed.SVC_DASHBOARD_URL),
    /** Null: no mail is sent. */
    mail:
      parsed.SVC_SMTP_URL === undefined || parsed.SVC_MAIL_FROM === undefined
        ? null
        : { smtpUrl: parsed.SVC_SMTP_URL, from: parsed.SVC_MAIL_FROM },
    /** Null: no other provider. */
    oidc:
      parsed.SVC_OIDC_ISSUER === undefined || parsed.SVC_OIDC_CLIENT_ID === undefined
        ? null
        : {
            issuer: parsed.SVC_OIDC_ISSUER,
            clientId: parsed.SVC_OIDC_CLIENT_ID,
            clientSecret: parsed.SVC_OIDC_CLIENT_SECRET,
            clientSecretFile: path(parsed.SVC_OIDC_CLIENT_SECRET_FILE),
            name: parsed.SVC_OIDC_NAME ?? parsed.SVC_OIDC_ISSUER.hostname,
          },
    /** Origins that devices may send check-ins to. */
    checkInOrigins: parsed.SVC_CHECK_IN_ORIGINS ?? [],
    /** Origin of a cache in front of `/v1/packs`. Null: devices fetch payloads from the service. */
    payloadsOrigin: parsed.SVC_PAYLOADS_URL ?? null,
    dashboardDirectory: path(parsed.SVC_DASHBOARD_DIR) ?? installed.pages('dashboard'),
    kioskDirectory: path(parsed.SVC_KIOSK_DIR) ?? installed.pages('kiosk'),
    manualDirectory: path(parsed.SVC_MANUAL_DIR) ?? installed.pages('manual'),
    widgetDirectory: path(parsed.SVC_WIDGET_DIR) ?? installed.pages('widget'),
    demo: isDemoOn(parsed, environment),
    background: {
      jobs: parsed.SVC_JOBS === 'on',
      webhooks: {
        /** CIDR ranges that webhooks may reach although they are not public. */
        allowedRanges: parsed.SVC_WEBHOOK_ALLOW ?? [],
        /** Null: any port. */
        ports: parsed.SVC_WEBHOOK_PORTS,
        allowHttp: parsed.SVC_WEBHOOK_HTTP === 'on',
      },
    },
    mailsPerMinute: parsed.SVC_MAILS_PER_MINUTE,
    region: parsed.SVC_REGION,
    logLevel: parsed.LOG_LEVEL,
  };
}

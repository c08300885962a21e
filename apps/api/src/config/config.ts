import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineIds } from '@svc/face-models';
import { defaultAddOnDirectory } from '@svc/face-models/node';
import { type BackgroundConfig, readBackgroundConfig } from './background.ts';
import { readDemoConfig } from './demo.ts';
import { readTrafficConfig, type TrafficConfig } from './traffic.ts';
import { readWidgetConfig, type WidgetConfig } from './widget.ts';

/** How a deployment is set up. Everything has a default that works on a developer's machine. */
export interface ApiConfig {
  /** Address to listen on; loopback by default. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How long a node that stops goes on answering, so that balancers notice that it is not ready any more. */
  readonly drainMs: number;
  /** Null: the PostgreSQL that comes with the product, its data in the data directory. */
  readonly databaseUrl: string | null;
  /** Keys that are not configured otherwise, and the embedded database. */
  readonly dataDirectory: string;
  /** Key-encryption keys as text; see docs/operations.md. Wins over the file. */
  readonly kek?: string | undefined;
  readonly kekFile?: string | undefined;
  /** Private signing keys as text; see docs/operations.md. Wins over the file. */
  readonly signingKey?: string | undefined;
  readonly signingKeyFile?: string | undefined;
  /** A second database for keys and the memory of erasures. */
  readonly keyDatabaseUrl?: string | undefined;
  /** A folder, outside of that database, for the secrets that seal its keys; left out, one in the data directory. The same for every node. */
  readonly keySecretsDirectory?: string | undefined;
  /** A folder for keys and the memory of erasures, for a single machine; with neither this nor a database, one in the data directory. */
  readonly keyStoreDirectory?: string | undefined;
  /** Days that a backup of the database may live. */
  readonly backupRetentionDays: number;
  /** Starts on a backup that is older than that. */
  readonly acceptOldBackup: boolean;
  /** The engine of new lists. Left out: the preferred one of those that are installed. */
  readonly engineId?: string | undefined;
  /** Where add-on models are installed. */
  readonly modelsDirectory: string;
  /** Threads that turn photos into sealed records. */
  readonly inferenceWorkers: number;
  /** Enrolments that may wait for a thread; beyond them the answer is 503. */
  readonly inferenceQueue: number;
  /** Port of the Prometheus metrics, 0 for any free one; null: none is opened. */
  readonly metricsPort: number | null;
  /** Address of the metrics; loopback by default. */
  readonly metricsHost: string;
  readonly traffic: TrafficConfig;
  readonly widget: WidgetConfig;
  /** The built check-in page; where there is none, none is served. */
  readonly kioskDirectory: string;
  /** The built page of the widget; where there is none, none is served. */
  readonly widgetDirectory: string;
  /** Whether `/demo` is served. */
  readonly demo: boolean;
  readonly background: BackgroundConfig;
  /** Name of the region that this deployment serves. */
  readonly region: string;
  readonly logLevel: LogLevel;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A setting is not what it must be; the message names the setting and never its value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export const DEFAULT_PORT = 3000;
const DEFAULT_BACKUP_RETENTION_DAYS = 35;
const QUEUE_PER_WORKER = 24;
const MOST_DRAIN_MS = 300_000;

/** The repository's root when run from a clone, so that every command finds the same `.data` wherever it is called. */
function homeDirectory(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
  }
  return process.cwd();
}

/**
 * Settings from the environment: HOST, PORT, SVC_DRAIN_MS, DATABASE_URL, SVC_DATA_DIR, SVC_KEK, SVC_KEK_FILE, SVC_SIGNING_KEY, SVC_SIGNING_KEY_FILE,
 * SVC_KEY_DATABASE_URL, SVC_KEY_SECRETS_DIR, SVC_KEY_STORE_DIR, SVC_BACKUP_RETENTION_DAYS, SVC_ACCEPT_OLD_BACKUP,
 * SVC_ENGINE, SVC_INFERENCE_WORKERS, SVC_INFERENCE_QUEUE, SVC_METRICS_PORT, SVC_METRICS_HOST, SVC_KIOSK_DIR, SVC_WIDGET_DIR, SVC_REGION, LOG_LEVEL,
 * and those of {@link readTrafficConfig}, {@link readWidgetConfig}, {@link readDemoConfig} and {@link readBackgroundConfig}. Empty ones count as absent.
 * @throws ConfigurationError naming the first setting that is wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): ApiConfig {
  const text = (name: string): string | undefined => {
    const value = environment[name]?.trim();
    return value === undefined || value === '' ? undefined : value;
  };
  const refuse = (message: string): never => {
    throw new ConfigurationError(message);
  };
  const whole = (name: string, fallback: number, least: number, most: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new ConfigurationError(`${name} must be a whole number from ${least} to ${most}`);
  };
  const calledFrom = environment.SVC_INVOKED_FROM ?? process.cwd();
  const path = (name: string): string | undefined => {
    const value = text(name);
    return value === undefined || isAbsolute(value) ? value : resolve(calledFrom, value);
  };

  const postgres = (name: string): string | undefined => {
    const value = text(name);
    if (value === undefined || /^postgres(ql)?:\/\//.test(value)) return value;
    throw new ConfigurationError(`${name} must be a postgresql:// address`);
  };

  const host = text('HOST') ?? '127.0.0.1';
  const port = whole('PORT', DEFAULT_PORT, 0, 65_535);
  const databaseUrl = postgres('DATABASE_URL') ?? null;
  const keyDatabaseUrl = postgres('SVC_KEY_DATABASE_URL');
  const keyStoreDirectory = path('SVC_KEY_STORE_DIR');
  if (keyDatabaseUrl !== undefined && keyStoreDirectory !== undefined) {
    throw new ConfigurationError('SVC_KEY_DATABASE_URL and SVC_KEY_STORE_DIR exclude each other');
  }
  if (keyDatabaseUrl !== undefined && keyDatabaseUrl === databaseUrl) {
    throw new ConfigurationError('SVC_KEY_DATABASE_URL must be another database than DATABASE_URL');
  }
  const keySecretsDirectory = path('SVC_KEY_SECRETS_DIR');
  if (keySecretsDirectory !== undefined && keyDatabaseUrl === undefined) {
    throw new ConfigurationError('SVC_KEY_SECRETS_DIR goes with SVC_KEY_DATABASE_URL');
  }
  const acceptOldBackup = text('SVC_ACCEPT_OLD_BACKUP') === 'yes';
  if (!acceptOldBackup && text('SVC_ACCEPT_OLD_BACKUP') !== undefined) {
    throw new ConfigurationError('SVC_ACCEPT_OLD_BACKUP must be yes, or left out');
  }
  const logLevel = logLevels.find((level) => level === (text('LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined) throw new ConfigurationError(`LOG_LEVEL must be one of ${logLevels.join(', ')}`);
  const region = text('SVC_REGION') ?? 'local';
  if (!/^[A-Za-z0-9-]{1,32}$/.test(region)) {
    throw new ConfigurationError('SVC_REGION must be letters, digits and hyphens');
  }
  const engineId = text('SVC_ENGINE');
  if (engineId !== undefined && !engineIds.includes(engineId)) {
    throw new ConfigurationError(`SVC_ENGINE must be one of ${engineIds.join(', ')}`);
  }
  const inferenceWorkers = whole('SVC_INFERENCE_WORKERS', Math.min(availableParallelism(), 4), 1, 64);
  return {
    host,
    port,
    drainMs: whole('SVC_DRAIN_MS', 0, 0, MOST_DRAIN_MS),
    databaseUrl,
    dataDirectory: path('SVC_DATA_DIR') ?? join(homeDirectory(), '.data'),
    kek: text('SVC_KEK'),
    kekFile: path('SVC_KEK_FILE'),
    signingKey: text('SVC_SIGNING_KEY'),
    signingKeyFile: path('SVC_SIGNING_KEY_FILE'),
    keyDatabaseUrl,
    keySecretsDirectory,
    keyStoreDirectory,
    backupRetentionDays: whole('SVC_BACKUP_RETENTION_DAYS', DEFAULT_BACKUP_RETENTION_DAYS, 1, 3_650),
    acceptOldBackup,
    engineId,
    modelsDirectory: path('SVC_MODELS_DIR') ?? defaultAddOnDirectory(),
    inferenceWorkers,
    inferenceQueue: whole('SVC_INFERENCE_QUEUE', inferenceWorkers * QUEUE_PER_WORKER, 0, 10_000),
    metricsPort: text('SVC_METRICS_PORT') === undefined ? null : whole('SVC_METRICS_PORT', 0, 0, 65_535),
    metricsHost: text('SVC_METRICS_HOST') ?? '127.0.0.1',
    traffic: readTrafficConfig({ text, whole, refuse }),
    kioskDirectory: path('SVC_KIOSK_DIR') ?? join(homeDirectory(), 'apps', 'kiosk', 'dist'),
    widgetDirectory: path('SVC_WIDGET_DIR') ?? join(homeDirectory(), 'apps', 'widget', 'dist'),
    demo: readDemoConfig({ text, refuse, host }),
    widget: readWidgetConfig({ text, refuse, fallbackUrl: `http://localhost:${port}/widget` }),
    background: readBackgroundConfig({ text, refuse }),
    region,
    logLevel,
  };
}

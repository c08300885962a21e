import process from 'node:process';
import { ConfigurationError, operatorCommand, readConfig } from '../config/config.ts';
import { StartError } from '../config/start-error.ts';
import { KeyEncryptionError } from '../crypto/kek.ts';
import { KeyStoreError } from '../crypto/key-store.ts';
import { SigningKeyError } from '../crypto/signing-key.ts';
import { DataDirectoryInUseError } from '../db/embedded/index.ts';
import { describeError } from '../platform/logger.ts';
import { startTracing } from '../tracing/start.ts';
import type { ApiParts } from './parts.ts';
import { startApi } from './start-api.ts';

/** Errors that an operator can fix are printed in one line, others with their stack. */
function report(error: unknown): void {
  const known =
    error instanceof ConfigurationError ||
    error instanceof DataDirectoryInUseError ||
    error instanceof KeyEncryptionError ||
    error instanceof KeyStoreError ||
    error instanceof SigningKeyError ||
    error instanceof StartError;
  const text = error instanceof Error ? (known ? error.message : error.stack) : String(error);
  process.stderr.write(`The service could not start: ${text}\n`);
}

/** How an operator lets the first person in; each prints one line. */
const firstOwner = () => ({
  account: `${operatorCommand()} account create --name "…" --country DE --plan pilot`,
  owner: `${operatorCommand()} user invite --account acc_… --email … --role owner`,
});

/** Beside the log, which others may keep and read. */
const FIRST_OWNER =
  '\nNo one can sign in to the dashboard yet. The first person to open this link becomes its owner. It works once, within an hour, until the service stops:';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves at the first signal; a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const name of STOP_SIGNALS) {
        process.off(name, stop);
        process.on(name, () => process.exit(1));
      }
      resolve(signal);
    };
    for (const name of STOP_SIGNALS) process.on(name, stop);
  });
}

async function run(parts: ApiParts): Promise<void> {
  const config = readConfig(process.env);
  // From here on, so that a stop during the start also stops the embedded database.
  const stopped = stopSignal();
  const startedAt = performance.now();
  const tracing = await startTracing(process.env);
  const api = await startApi(config, parts);
  const { url, metricsUrl } = api;
  api.logger.info(
    {
      url,
      ...(metricsUrl && { metricsUrl }),
      ...(config.dashboardUrl !== null && { dashboardUrl: config.dashboardUrl }),
      tracing: tracing !== null,
      startMs: Math.round(performance.now() - startedAt),
    },
    'listening',
  );

  if (config.dashboardUrl !== null && !(await api.hasUsers().catch(() => true))) {
    api.logger.info(firstOwner(), 'no one can sign in to the dashboard yet');
    // With a database of its own, this node is the deployment, and whoever started it sees what it prints.
    const link = config.databaseUrl === null ? await api.offerFirstOwner(process.stderr.isTTY).catch(() => null) : null;
    if (link !== null) process.stderr.write(`${FIRST_OWNER}\n\n  ${link}\n\n`);
  }

  // The default crash report prints the error's message, which may quote data.
  process.on('uncaughtException', (error) => {
    api.logger.fatal({ error: describeError(error) }, 'crashed');
    process.exit(1);
  });

  api.logger.info({ signal: await stopped }, 'stopping');
  await api.close().catch(() => process.exit(1));
  await tracing?.close();
  api.logger.info('stopped');
}

/**
 * Runs the service in this process: settings from the environment, JSON lines to standard output, stops at SIGTERM or
 * SIGINT. Exits with 1 when it cannot start.
 */
export function runService(parts: ApiParts = {}): void {
  run(parts).catch((error: unknown) => {
    report(error);
    process.exit(1);
  });
}

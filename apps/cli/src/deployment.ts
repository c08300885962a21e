import type { Admin, ApiConfig, Finding, SigningAdmin } from '@svc/api';
import { errorTable } from '@svc/protocol';
import { CliError, describeField, exitCodes } from './cli-error.ts';

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };
type Cursor = Parameters<Admin['audit']['page']>[1];

const ROWS = 200;

/** Every item of a collection. */
export async function everything<T>(page: (request: Cursor) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const next = await page({ limit: ROWS, cursor });
    items.push(...next.items);
    if (next.nextCursor === null) return items;
    cursor = next.nextCursor;
  }
}

/**
 * Runs an action with a deployment's services, configured by the API's environment variables, and closes them.
 * @throws CliError exit code 2 if a rule of the service forbids it, 3 if the deployment cannot be reached
 */
export async function withAdmin<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const { ServiceError } = await import('@svc/api');
  const admin = await openDeployment(({ openAdmin }, config) => openAdmin(config));
  try {
    return await work(admin);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { detail, errors: [wrong] = [] } = error.details;
    const said = detail ?? (wrong === undefined ? errorTable[error.code].title : describeField(wrong));
    throw new CliError(`${said} (${error.code})`, exitCodes.usage, { cause: error });
  } finally {
    await admin.close();
  }
}

/** As {@link withAdmin}, for commands on signing keys: works with a wrong or lost signing key. */
export async function withSigningAdmin<Result>(work: (admin: SigningAdmin) => Promise<Result>): Promise<Result> {
  const admin = await openDeployment(({ openSigningAdmin }, config) => openSigningAdmin(config));
  try {
    return await work(admin);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SigningKeyError') throw error;
    throw new CliError(error.message, exitCodes.usage, { cause: error });
  } finally {
    await admin.close();
  }
}

/** Inspects a deployment without changing it. @throws CliError exit code 3 if the settings are invalid */
export const diagnoseDeployment = (): Promise<Finding[]> =>
  openDeployment(({ examineDeployment }, config) => examineDeployment(config));

type Api = typeof import('@svc/api');

async function openDeployment<Opened>(open: (api: Api, config: ApiConfig) => Promise<Opened>): Promise<Opened> {
  // Loaded on demand: other commands start faster without the API.
  const api = await import('@svc/api');
  try {
    return await open(api, { ...api.readConfig(process.env), logLevel: 'silent' });
  } catch (cause) {
    const message = cause instanceof Error && cause.message !== '' ? cause.message : 'unknown reason';
    throw new CliError(`the deployment cannot be opened: ${message}`, exitCodes.environment, { cause });
  }
}

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Answer, createTestDatabase, queryDatabase, requestJson } from '@svc/api/testing';
import { inject } from 'vitest';
import { type Guest, photoOf, ticketOf } from '../support/guests.ts';
import { enrolBody } from '../support/service.ts';
import type { Release } from './release.ts';

/** Settings, a database and folders that several releases of the service are started on. */
export async function createDeployment() {
  const directory = await mkdtemp(join(tmpdir(), 'svc-upgrade-'));
  const environment = {
    DATABASE_URL: await createTestDatabase(inject('postgres')),
    SVC_DATA_DIR: join(directory, 'data'),
    SVC_KEK: randomBytes(32).toString('base64'),
    SVC_MODELS_DIR: join(directory, 'no-add-ons'),
    SVC_INFERENCE_WORKERS: '1',
    SVC_DRAIN_MS: '1500',
    SVC_RATE_LIMIT_API_KEY: '0',
    SVC_RATE_LIMIT_DEVICE: '0',
    LOG_LEVEL: 'warn',
  };
  return {
    environment: environment as Readonly<Record<string, string>>,
    /** Of a device. */
    folder: (name: string) => join(directory, name),
    /** What a device pins. */
    async regionOf(release: Release, baseUrl: string) {
      const { signingKey } = JSON.parse(await release.svc(environment, 'region', 'show', '--json'));
      return { baseUrl, signingKeys: [String(signingKey)] as const };
    },
    /** @returns an API key of a new account without limits */
    async createAccount(release: Release) {
      const account = ['account', 'create', '--name', 'Arena', '--country', 'DE', '--plan', 'unlimited'];
      const accountId = await release.svc(environment, ...account);
      return release.svc(environment, 'key', 'create', '--account', accountId);
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
export type Deployment = Awaited<ReturnType<typeof createDeployment>>;

/**
 * Writes every row of the database to a file, a line each, for the API's test of migrations.
 * @param path default `SVC_TEST_RECORD_ROWS`; without it nothing is written
 */
export async function recordRows(databaseUrl: string, path = process.env.SVC_TEST_RECORD_ROWS): Promise<void> {
  if (path === undefined) return;
  const tables = await queryDatabase<{ name: string }>(
    databaseUrl,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'key_store%' ORDER BY 1",
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const rows = await queryDatabase<{ row: object }>(databaseUrl, `SELECT row_to_json(t) AS row FROM ${name} t`);
    lines.push(...rows.map(({ row }) => `${JSON.stringify({ table: name, row })}\n`));
  }
  await writeFile(path, lines.join(''));
}

/** Calls of an organiser's server. */
export type Call = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<T>>;

export const callerOf =
  (url: () => string, apiKey: string): Call =>
  (method, path, body, headers = {}) =>
    requestJson(`${url()}${path}`, {
      method,
      headers: {
        'X-Api-Key': apiKey,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

/** @returns the status of the answer */
export async function enrol(call: Call, listId: string, guest: Guest): Promise<number> {
  const body = enrolBody(ticketOf(guest), await photoOf(guest));
  return (await call('POST', `/v1/lists/${listId}/people`, body)).status;
}

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { startApi } from './start-api.ts';

const PASSWORD = 'canary-4f1c09';
const directory = temporaryFolder();
const databaseUrl = await createTestDatabase(inject('postgres'));
const servers: Server[] = [];

/** A server on loopback that does this with each connection. */
async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

afterAll(() => {
  for (const server of servers) server.close();
});

/** Why the service does not start. */
async function refusal(environment: Record<string, string>): Promise<Error> {
  const config = readConfig({
    ...{ LOG_LEVEL: 'silent', PORT: '0', SVC_JOBS: 'off', DATABASE_URL: databaseUrl },
    ...{ SVC_DATA_DIR: join(directory, 'data'), ...environment },
  });
  const outcome = await startApi(config, { createInference: () => createFakeInference() }).catch(
    (error: Error) => error,
  );
  if (outcome instanceof Error) return outcome;
  await outcome.close();
  throw new Error('it started');
}

const withoutServer = async () => {
  const port = await listen(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return `postgresql://svc:${PASSWORD}@127.0.0.1:${port}/svc`;
};
const at = (port: number) => `postgresql://svc:${PASSWORD}@127.0.0.1:${port}/svc`;
const changed = (change: (url: URL) => void) => {
  const url = new URL(databaseUrl);
  change(url);
  return url.href;
};

describe('a start that fails', () => {
  const databases: [string, () => Promise<string> | string, RegExp][] = [
    ['no server', withoutServer, /no PostgreSQL listens there \(ECONNREFUSED\)/],
    ['a host that is not known', () => 'postgresql://svc@no-such-host.invalid/svc', /host name/],
    ['a server that is silent', async () => at(await listen(() => undefined)), /does not answer/],
    ['a server that hangs up', async () => at(await listen((socket) => socket.destroy())), /hangs up/],
    [
      'a server of another kind',
      async () => at(await listen((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))),
      /no PostgreSQL|does not answer/,
    ],
    [
      'an authority’s file that is missing',
      () => changed((url) => url.searchParams.set('sslrootcert', join(directory, 'no-such-file'))),
      /a file that it names: there is no such file or folder \(ENOENT\)/,
    ],
    ['a server without TLS', () => changed((url) => url.searchParams.set('sslmode', 'require')), /takes no TLS/],
    [
      'a wrong password',
      () =>
        changed((url) => {
          url.password = PASSWORD;
        }),
      /refuses the user or the password \(28P01\)/,
    ],
    [
      'a missing database',
      () =>
        changed((url) => {
          url.pathname = '/no_such_database';
        }),
      /no database of that name; create it first \(3D000\)/,
    ],
  ];

  it.each(databases)('names DATABASE_URL for %s, and not its value', async (_, url, reason) => {
    const error = await refusal({ DATABASE_URL: await url() });
    expect(error.message).toMatch(/^DATABASE_URL: /);
    expect(error.message).toMatch(reason);
    expect(error.name).toBe('StartError');
    expect(error.message).not.toContain(PASSWORD);
  });

  it('names the database of the keys', async () => {
    const error = await refusal({ SVC_KEY_DATABASE_URL: await withoutServer() });
    expect(error.message).toMatch(/^SVC_KEY_DATABASE_URL: no PostgreSQL listens there/);
  });

  it('names the port that another program has', async () => {
    const port = await listen((socket) => socket.destroy());
    const error = await refusal({ PORT: String(port) });
    expect(error.message).toBe('HOST and PORT: another program listens there already (EADDRINUSE)');
    const metrics = await refusal({ SVC_METRICS_PORT: String(port) });
    expect(metrics.message).toBe(
      'SVC_METRICS_HOST and SVC_METRICS_PORT: another program listens there already (EADDRINUSE)',
    );
  });

  it('names the address that the machine does not have', async () => {
    const error = await refusal({ HOST: '192.0.2.1' });
    expect(error.message).toBe('HOST and PORT: this machine has no such address (EADDRNOTAVAIL)');
  });

  it('names the folder or file', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const folder = join(directory, 'a-folder');
    await mkdir(folder, { mode: 0o700 });
    expect((await refusal({ SVC_DATA_DIR: join(file, 'data') })).message).toMatch(/^SVC_DATA_DIR: .*\(ENOTDIR\)/);
    const none = join(directory, 'none');
    expect((await refusal({ SVC_DATABASE_PASSWORD_FILE: none })).message).toBe(
      'SVC_DATABASE_PASSWORD_FILE: there is no such file or folder (ENOENT)',
    );
    expect(
      (await refusal({ SVC_KEY_DATABASE_URL: `${databaseUrl}_keys`, SVC_KEY_DATABASE_PASSWORD_FILE: none })).message,
    ).toMatch(/^SVC_KEY_DATABASE_PASSWORD_FILE: /);
    expect((await refusal({ SVC_KEY_STORE_DIR: join(file, 'keys') })).message).toMatch(/^SVC_KEY_STORE_DIR: /);
    await chmod(file, 0o644);
    expect((await refusal({ SVC_KEK_FILE: file })).message).toMatch(/^SVC_KEK_FILE: others .* chmod 600/);
    expect((await refusal({ SVC_KEK_FILE: folder })).message).toMatch(/^SVC_KEK_FILE: .*\(EISDIR\)/);
    expect((await refusal({ SVC_SIGNING_KEY_FILE: folder })).message).toMatch(/^SVC_SIGNING_KEY_FILE: /);
  });
});

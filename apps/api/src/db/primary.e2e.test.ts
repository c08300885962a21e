import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, OwnServer, openServerHome, type ServerHome, until } from '../testing/standby/own-server.ts';
import { ServerPair } from '../testing/standby/server-pair.ts';
import { couldNotConnect, type Database, type DatabaseTarget, openDatabase } from './connection.ts';

const run = promisify(execFile);
const opened: Database[] = [];

function open(target: DatabaseTarget, poolSize = 2): Database {
  const database = openDatabase({ target, poolSize });
  opened.push(database);
  return database;
}
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

const portOf = async ({ connection }: Database) => {
  const { rows } = await connection.raw<{ rows: { port: string }[] }>("SELECT current_setting('port') AS port");
  return Number(rows[0]?.port);
};
const note = ({ connection }: Database, text: string) => connection('noted').insert({ text });

it('answers within two seconds, the wait for a connection included', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const startedAt = performance.now();
  expect(await open({ connectionString: `postgresql://u@127.0.0.1:${port}/d` }).answers()).toBe(false);
  expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  silent.close();
});

describe('several servers', () => {
  let pair: ServerPair;

  beforeAll(async () => {
    pair = await ServerPair.start({ isSynchronous: true });
    await pair.primary.query('CREATE TABLE noted (text text)');
  });
  afterAll(() => pair.close());

  it('uses the one that takes writes, wherever it stands', async () => {
    const { primary, other } = pair;
    expect(await portOf(open({ connectionString: addressOf([other, primary]) }))).toBe(primary.port);
    const standby = open({ connectionString: other.url });
    const refused: unknown = await portOf(standby).catch((error: unknown) => error);
    expect([couldNotConnect(refused), await standby.answers()]).toEqual([true, false]);
  });

  it('leaves one that was made read-only, and comes back when it is no more', async () => {
    const { primary } = pair;
    const database = open({ connectionString: pair.url });
    await note(database, 'before');
    await primary.set({ default_transaction_read_only: 'on' });
    await until(async () => !(await database.answers()));
    expect(couldNotConnect(await portOf(database).catch((error: unknown) => error))).toBe(true);
    await primary.query('ALTER SYSTEM RESET default_transaction_read_only');
    await primary.query('SELECT pg_reload_conf()');
    await until(() => database.answers());
    await note(database, 'after');
  });

  it('takes no commit for one whose wait for the standby was cancelled', async () => {
    const { primary, other } = pair;
    const database = open({ connectionString: pair.url });
    await note(database, 'both have it');
    await other.freeze();
    const waiting = database.transaction((tx) => tx('noted').insert({ text: 'one has it' }));
    const outcome = waiting.then(
      () => 'confirmed',
      (error: unknown) => String(error),
    );
    const CANCEL = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await until(async () => (await primary.query(CANCEL)).length > 0);
    const told = await outcome;
    await other.thaw();
    expect(told).toContain('the commit reached no standby');
    await note(database, 'both again');
  });

  it('moves when its server goes silent and another is promoted, and does not go back', async () => {
    const former = pair.primary;
    const database = open({ connectionString: pair.url });
    const late = open({ connectionString: pair.url });
    await Promise.all([note(database, 'a'), note(database, 'b'), note(late, 'c')]);
    await former.freeze();
    const unanswered = note(database, 'lost on the way').then(
      () => 'answered',
      () => 'refused',
    );
    await pair.promote();
    expect(await unanswered).toBe('refused');
    await until(() => database.answers());
    expect(await portOf(database)).toBe(pair.primary.port);
    // It knows nothing of the promotion, and takes writes.
    await former.thaw();
    await until(() => former.query('SELECT 1').then(() => true));
    await until(async () => (await portOf(late)) === pair.primary.port);
    expect(await portOf(open({ connectionString: addressOf([former, pair.primary]) }))).toBe(pair.primary.port);
    // Whoever has seen the promotion does not go back, even if there is nothing else.
    await pair.primary.freeze();
    await expect.poll(() => database.answers()).toBe(false);
    await expect(portOf(database)).rejects.toThrow();
    await pair.primary.thaw();
    await until(() => database.answers());
    expect(await portOf(database)).toBe(pair.primary.port);
  });
});

describe('a managed server', () => {
  const folder = temporaryFolder();
  let home: ServerHome;
  let server: OwnServer;

  /** A certificate for a name, signed by itself. */
  async function certify(name: string, alternative: string): Promise<{ key: string; certificate: string }> {
    const [key, certificate] = [join(home.folder, `${name}.key`), join(home.folder, `${name}.crt`)];
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=${alternative}`, '-keyout', key, '-out', certificate],
    ]);
    if (home.user !== null) await run('chown', [String(home.user.uid), key, certificate]);
    return { key, certificate };
  }

  beforeAll(async () => {
    home = await openServerHome();
    const { key, certificate } = await certify('managed', 'IP:127.0.0.1');
    server = await OwnServer.create(home, { settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key } });
    await server.initialise();
  });
  afterAll(async () => {
    await server.stop();
    await home.remove();
  });

  it('is verified by its CA file, whatever mode of TLS is asked for', async () => {
    const ownCa = encodeURIComponent(join(home.folder, 'managed.crt'));
    const isEncrypted = async (url: string) => {
      const { connection } = open({ connectionString: url });
      const { rows } = await connection.raw<{ rows: { ssl: boolean }[] }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return rows[0]?.ssl;
    };
    for (const mode of ['verify-full', 'verify-ca', 'require']) {
      expect(await isEncrypted(`${server.url}?sslmode=${mode}&sslrootcert=${ownCa}`)).toBe(true);
    }
    const { certificate } = await certify('another', 'IP:127.0.0.1');
    const other = encodeURIComponent(certificate);
    const elsewhere = server.url.replace('127.0.0.1', 'localhost');
    for (const url of [
      `${server.url}?sslmode=verify-full`,
      `${server.url}?sslmode=require&sslrootcert=${other}`,
      `${elsewhere}?sslmode=require&sslrootcert=${ownCa}`,
    ]) {
      const refused: unknown = await isEncrypted(url).catch((error: unknown) => error);
      expect([couldNotConnect(refused), url]).toEqual([true, url]);
    }
  });

  it('gets the password that its file has at each connection', async () => {
    const path = join(folder, 'password');
    const passwordFile = { path, setting: 'SVC_DATABASE_PASSWORD_FILE' };
    await server.query("CREATE ROLE rotated LOGIN PASSWORD 'first/?&%'");
    await writeFile(path, 'first/?&%\n');
    const connectionString = `postgresql://rotated:outdated@${server.host}/postgres`;
    const database = open({ connectionString, passwordFile }, 3);
    expect(await portOf(database)).toBe(server.port);
    await server.query("ALTER ROLE rotated PASSWORD 'second'");
    // A connection lives on; a new one is refused until the file has the new password.
    expect(await portOf(database)).toBe(server.port);
    const refused: unknown = await portOf(open({ connectionString, passwordFile })).catch((error: unknown) => error);
    expect(couldNotConnect(refused)).toBe(true);
    await writeFile(path, 'second');
    expect(await Promise.all([1, 2, 3].map(() => portOf(database)))).toEqual(Array(3).fill(server.port));
    // While the file is missing, a statement that takes its time goes on: nobody can ask the server about it.
    await rm(path);
    await database.connection.raw('SELECT pg_sleep(5)');
  });
});

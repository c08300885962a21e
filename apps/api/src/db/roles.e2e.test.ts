import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startApi } from '../compose/start-api.ts';
import { type ApiConfig, readConfig } from '../config/config.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { createTestDatabase, queryDatabase, servingUrl } from '../testing/postgres.ts';
import { hasVersion, OwnServer, openServerHome } from '../testing/standby/own-server.ts';
import { createLogSink } from '../testing/test-api.ts';
import { openDatabase } from './connection.ts';
import { migrate } from './migrate.ts';
import { roleFacts } from './roles.ts';

/** The database of an operator, who typed the two lines of docs/operate/operations.md. */
async function ownDatabase(version: string) {
  const home = await openServerHome(version);
  const server = await OwnServer.create(home);
  await server.initialise();
  await server.query("CREATE ROLE tables_owner LOGIN PASSWORD 'one'");
  await server.query('CREATE DATABASE svc OWNER tables_owner');
  await server.query("CREATE ROLE svc_serving LOGIN PASSWORD 'two'");
  await server.query('GRANT CONNECT ON DATABASE svc TO svc_serving');
  const close = () => server.stop().then(() => home.remove());
  const at = (credentials: string) => `postgresql://${credentials}@${server.host}/svc`;
  return { owner: at('tables_owner:one'), serving: at('svc_serving:two'), close };
}

/** In the embedded cluster the owner is its superuser. */
async function embeddedDatabase() {
  const owner = await createTestDatabase(inject('postgres'));
  return { owner, serving: servingUrl(owner), close: () => Promise.resolve() };
}

/** In `npm run test:long`, which names them by this setting. */
const versions = (process.env.SVC_TEST_ROLES ?? '').split(' ').filter((version) => version !== '');
for (const version of versions) if (!hasVersion(version)) process.stdout.write(`skipped: no PostgreSQL ${version}\n`);

const ATTRIBUTES = `
SELECT (rolsuper::int + rolcreaterole::int + rolcreatedb::int + rolreplication::int + rolbypassrls::int) AS attributes,
  (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
  has_schema_privilege(oid, 'public', 'CREATE') AS creates, has_schema_privilege(oid, 'public', 'USAGE') AS uses
FROM pg_roles r WHERE rolname = 'svc_serving'`;
const GRANTED = `
SELECT rights, array_agg(name::text ORDER BY name) AS names FROM (
  SELECT table_name AS name, string_agg(privilege_type || CASE is_grantable WHEN 'YES' THEN '*' ELSE '' END, ' '
    ORDER BY privilege_type) AS rights
  FROM information_schema.table_privileges WHERE grantee = 'svc_serving' GROUP BY table_name
  UNION ALL SELECT routine_name, privilege_type FROM information_schema.routine_privileges WHERE grantee = 'svc_serving'
) granted GROUP BY rights ORDER BY rights`;
const OTHERS = `admission_heads admissions api_keys billed_people device_arrivals devices enrolment_tokens event_brands events
  face_removals faces idempotent_requests key_encryption_keys key_store_link list_epochs lists mailing_recipients mailings
  notices_told people rate_limits recurring_jobs sign_in_challenges user_links user_passkeys user_sessions users
  webhook_deliveries webhooks widget_previews wipe_tombstones wrapped_keys`;
const ACCOUNT = `
INSERT INTO accounts (account_id, name, billing_currency, created_at, deleting_at)
VALUES ('acc', '', 'EUR', now(), now())`;
const DELETION = `
INSERT INTO audit_log VALUES ('acc', gen_random_uuid(), now(), 'system', NULL, 'account.delete', 'acc')`;
const CONSENT = `
INSERT INTO consents (account_id, consent_id, list_id, kind, shown_by, recorded_at, seq, commitment, entry_hash)
SELECT 'acc', gen_random_uuid(), 'l', 'given', 'service', now() - make_interval(days => $1), length, sha256(''), head
FROM next_consent_place('acc', 'l', '', sha256(''))`;

describe.each(['embedded', ...versions.filter(hasVersion)])('on PostgreSQL %s, the role that serves', (version) => {
  let database: Awaited<ReturnType<typeof ownDatabase>>;
  const directory = temporaryFolder();
  let config: ApiConfig;
  const logs = createLogSink();
  const owned = (sql: string, values: unknown[] = []) =>
    queryDatabase<Record<string, never>>(database.owner, sql, values);
  const serve = (sql: string, values: unknown[] = []) => queryDatabase(database.serving, sql, values);
  async function start(changes: Partial<ApiConfig> = {}): Promise<void> {
    const parts = { createInference: createFakeInference, logDestination: logs };
    await (await startApi({ ...config, ...changes }, parts)).close();
  }

  beforeAll(async () => {
    database = await (version === 'embedded' ? embeddedDatabase() : ownDatabase(version));
    config = readConfig({
      ...{ PORT: '0', SVC_JOBS: 'off', DATABASE_URL: database.serving, SVC_DATA_DIR: directory },
      SVC_MODELS_DIR: join(directory, 'models'),
    });
  });
  afterAll(() => database.close());

  it('is the owner where there is one role, and the start says so', async () => {
    await start({ databaseUrl: database.owner });
    expect(logs.text).toContain('owns tables');
    expect(logs.text).toContain('may change the audit log or the consent ledger');
    // As the former release left it.
    await owned('DROP FUNCTION next_consent_place, erase_consents, delete_account, evidence_clock');
    await owned("DELETE FROM schema_migrations WHERE name = '0028-serving-role'");
  });

  it('is let in once the owner has migrated', async () => {
    await expect(start()).rejects.toThrow('svc migrate');
    await start({ databaseOwnerUrl: database.owner });
    await owned('REVOKE SELECT ON faces FROM svc_serving');
    await expect(start({ databaseOwnerUrl: database.serving })).rejects.toThrow(/does not own accounts, .*faces, /);
    // Again and again.
    await start({ databaseOwnerUrl: database.owner });
    const { connection, close } = openDatabase({ target: { connectionString: database.serving } });
    const excess = () => roleFacts(connection).then((facts) => facts.excess);
    for (const right of [
      ...['DELETE ON accounts', 'DELETE ON audit_log', 'DELETE ON consent_chains', 'UPDATE (head) ON consent_chains'],
      'UPDATE (kind) ON consents',
    ]) {
      for (const role of ['svc_serving', 'PUBLIC']) {
        await owned(`GRANT ${right} TO ${role}`);
        expect([right, await excess()]).toEqual([right, ['may change the audit log or the consent ledger']]);
        await migrate(connection, { target: { connectionString: database.owner }, setting: 'X' });
        expect([right, await excess()]).toEqual([right, []]);
      }
    }
    const unlimited = connection.transaction((tx) =>
      tx.raw('SET LOCAL statement_timeout = 0').then(() => roleFacts(tx)),
    );
    expect((await unlimited).excess).toEqual([expect.stringContaining('lacks a time limit')]);
    await close();
  });

  it('has these rights, and no others', async () => {
    expect(await owned(ATTRIBUTES)).toEqual([{ attributes: 0, memberships: 0, creates: false, uses: true }]);
    const granted = (await owned(GRANTED)).map(({ rights, names }) => [rights, names]);
    const less = {
      EXECUTE: ['delete_account', 'erase_consents', 'next_consent_place'],
      'INSERT SELECT': ['audit_log', 'consents'],
      'INSERT SELECT UPDATE': ['accounts'],
      SELECT: ['consent_chains', 'schema_migrations', 'schema_migrations_lock'],
    };
    // A new table is one of those whose rows may be deleted, or is named above.
    expect(Object.fromEntries(granted)).toEqual({ ...less, 'DELETE INSERT SELECT UPDATE': OTHERS.split(/\s+/) });
    // What runs with the owner's rights looks into no other schema.
    const paths = 'SELECT DISTINCT proconfig[1] AS path FROM pg_proc WHERE prosecdef AND proname = ANY ($1)';
    expect(await owned(paths, [less.EXECUTE])).toEqual([{ path: 'search_path=public, pg_temp' }]);
  });

  it.each([
    ...['audit_log', 'consents', 'consent_chains'].flatMap((table) => [
      `UPDATE ${table} SET account_id = 'x'`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
    ]),
    'DELETE FROM accounts',
    'CREATE TABLE public.mine (a text)',
    'CREATE OR REPLACE FUNCTION evidence_clock() RETURNS timestamptz LANGUAGE sql AS $$ SELECT now() $$',
    'DROP TABLE faces',
    "COPY faces TO PROGRAM 'true'",
    "COPY faces FROM '/etc/passwd'",
    "SET session_replication_role = 'replica'",
    `DO $$ BEGIN EXECUTE format('SET ROLE %I', (SELECT tableowner FROM pg_tables WHERE tablename = 'faces')); END $$`,
    'ALTER ROLE svc_serving SUPERUSER',
  ])('is refused %s', async (sql) => {
    await expect(serve(sql)).rejects.toMatchObject({ code: '42501' });
  });

  it('erases evidence by the database’s clock, and an account once its deletion is in the audit log', async () => {
    await serve(ACCOUNT);
    for (const days of [1_826, 1_825]) await serve(CONSENT, [days]);
    expect(await serve("SELECT erase_consents('acc', 'infinity', now(), 9) AS erased")).toEqual([{ erased: 1 }]);
    const left = () => serve('SELECT seq FROM consents WHERE kind IS NOT NULL');
    const isDeleted = () => serve("SELECT delete_account('acc') AS gone");
    expect(await isDeleted()).toEqual([{ gone: false }]);
    expect(await left()).toEqual([{ seq: '2' }]);
    await serve(DELETION);
    expect(await isDeleted()).toEqual([{ gone: true }]);
    expect(await left()).toEqual([]);
  });
});

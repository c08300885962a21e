import pg from 'pg';
import { rowsOf } from './columns.ts';
import type { Connection, Transaction } from './connection.ts';

/** The embedded database's role that serves; with a database of their own, operators choose a name. */
export const SERVING_ROLE = 'svc_serving';

/** Its rights to tables of some names, and to all others: it reads and writes rows. Each in alphabetical order. */
const RIGHTS: readonly (readonly [tables: RegExp, rights: string])[] = [
  [/^accounts$/, 'INSERT, SELECT, UPDATE'],
  [/^(audit_log|consents)$/, 'INSERT, SELECT'],
  [/^(consent_chains|\w+_migrations(_lock)?)$/, 'SELECT'],
  [/^/, 'DELETE, INSERT, SELECT, UPDATE'],
];
/** What it may do besides with accounts and the ledger, with the owner's rights (migration 0028). */
const FUNCTIONS = ['delete_account', 'erase_consents', 'next_consent_place'];

/** Without what the role owns, from which nothing can be taken. What is held by PUBLIC, or of columns, is told besides. */
const TO_GRANT = `
WITH own AS (
  SELECT 'TABLE' AS kind, relname AS name, relowner AS owner, c.oid::regclass::text AS quoted,
    nullif(relacl || ARRAY(SELECT unnest(attacl) FROM pg_attribute WHERE attrelid = c.oid), '{}') AS acl
  FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
  UNION ALL
  SELECT 'FUNCTION', proname, proowner, p.oid::regprocedure::text, proacl
  FROM pg_proc p WHERE pronamespace = current_schema()::regnamespace AND proname = ANY (?)
)
SELECT kind, name, quoted, quote_ident(current_schema()) AS schema,
  (SELECT string_agg(privilege_type, ', ' ORDER BY privilege_type) FROM aclexplode(acl) WHERE grantee IN (r.oid, 0)) AS held
FROM own, pg_roles r WHERE rolname = ? AND pg_has_role(owner, 'USAGE') AND NOT pg_has_role(rolname, owner, 'MEMBER')`;

/** Grants a role what serving needs of each table there is, and takes everything else from it. */
export async function grantServing(tx: Transaction, role: string): Promise<void> {
  type Grantable = Record<'kind' | 'name' | 'quoted' | 'schema' | 'held', string>;
  const to = pg.escapeIdentifier(role);
  const grants = (await rowsOf<Grantable>(tx, TO_GRANT, [FUNCTIONS, role])).flatMap((each) => {
    const { kind, name, quoted, schema, held } = each;
    const rights = kind === 'TABLE' ? RIGHTS.find(([tables]) => tables.test(name))?.[1] : 'EXECUTE';
    if (held === rights) return [];
    return [
      `REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC, ${to}`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${to}`,
      `REVOKE ALL ON ${kind} ${quoted} FROM PUBLIC, ${to}`,
      `GRANT ${rights} ON ${kind} ${quoted} TO ${to}`,
    ];
  });
  if (grants.length > 0) await tx.raw([...new Set(grants)].join(';\n'));
}

export interface RoleFacts {
  readonly role: string;
  /** What it may do beyond serving, in words; empty for a role with least privilege and with time limits. */
  readonly excess: readonly string[];
  /** The schema's tables that it does not own and so cannot grant; extensions' apart. */
  readonly foreign: readonly string[];
}

const FACTS = `
SELECT rolname AS role, array_remove(ARRAY[
  CASE WHEN rolsuper THEN 'is a superuser' END,
  CASE WHEN rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls THEN 'has CREATEROLE or similar' END,
  CASE WHEN EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
    AND pg_has_role(relowner, 'MEMBER')) THEN 'owns tables' END,
  CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 'may create tables' END,
  CASE WHEN EXISTS (
    SELECT FROM (VALUES ('accounts', 'REFERENCES'), ('audit_log', 'UPDATE, REFERENCES'), ('consents', 'UPDATE, REFERENCES'),
      ('consent_chains', 'INSERT, UPDATE, REFERENCES')) evidence (name, of_columns)
    WHERE has_table_privilege(to_regclass(name), 'DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(to_regclass(name), of_columns)
  ) THEN 'may change the audit log or the consent ledger' END,
  CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files',
    'pg_execute_server_program') AND pg_has_role(oid, 'MEMBER')) THEN 'can reach the server''s files or programs' END,
  CASE WHEN '0' IN (current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'))
    THEN 'lacks a time limit (statement_timeout, idle_in_transaction_session_timeout)' END
], NULL) AS excess, ARRAY(
  SELECT relname::text FROM pg_class c
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  ORDER BY relname
) AS "foreign" FROM pg_roles WHERE rolname = current_user`;

/** The role of a connection, what it has too much of, and what it does not own. */
export async function roleFacts(connection: Connection): Promise<RoleFacts> {
  return (await rowsOf<RoleFacts>(connection, FACTS))[0] as RoleFacts;
}
